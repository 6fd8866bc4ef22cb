/** statuses of a ticket, in their order. */
export const statuses = ['TODO', 'IN_PROGRESS', 'REVIEW', 'DONE', 'BLOCKED', 'CLOSED']

/** priorities of a ticket, in their order. */
export const priorities = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']

/** neighbour is the status so many steps on, or undefined at either end. */
export function neighbour(status: string, step: number): string | undefined {
  return statuses[statuses.indexOf(status) + step]
}

/** outcomes of a ticket that is closed without being done, in words. */
export const outcomes: { [value: string]: string } = {
  WONT_FIX: "won't fix", CANCELED: 'canceled', REJECTED: 'rejected', DUPLICATE: 'duplicate', REMOVED: 'removed', ARCHIVED: 'archived',
}

/** stands is a status with its outcome in words. */
export const stands = (status: string, outcome?: unknown) => (outcome ? `${status}: ${outcomes[String(outcome)] ?? outcome}` : status)

const tones: { [value: string]: string } = { BLOCKED: 'text-bad', CRITICAL: 'text-bad', HIGH: 'text-warn', DONE: 'text-muted', CLOSED: 'text-muted', LOW: 'text-muted', IN_PROGRESS: 'text-accent' }

/** tone is the colour of a status or a priority. */
export const tone = (value: string) => tones[value] ?? ''
