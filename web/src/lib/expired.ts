/** expired says whether what ends on a day or at an instant has ended: a day as it begins in UTC, as the daemon counts. */
export const expired = (at: string | undefined, now = Date.now()) => at !== undefined && at !== '' && Date.parse(at) <= now
