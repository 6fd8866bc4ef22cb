/** states of a run, in their order. */
export const states = ['queued', 'running', 'waiting', 'done', 'failed', 'cancelled']

/** over says whether a run in that state can no longer change. */
export const over = (state: string | undefined) => state === 'done' || state === 'failed' || state === 'cancelled'
