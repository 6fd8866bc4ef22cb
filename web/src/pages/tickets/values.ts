/** statuses of a ticket, in their order. */
export const statuses = ['TODO', 'IN_PROGRESS', 'REVIEW', 'DONE', 'BLOCKED']

/** priorities of a ticket, in their order. */
export const priorities = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']

/** neighbour is the status so many steps on, or undefined at either end. */
export function neighbour(status: string, step: number): string | undefined {
  return statuses[statuses.indexOf(status) + step]
}

const tones: { [value: string]: string } = { BLOCKED: 'text-bad', CRITICAL: 'text-bad', HIGH: 'text-warn', DONE: 'text-muted', LOW: 'text-muted', IN_PROGRESS: 'text-accent' }

/** tone is the colour of a status or a priority. */
export const tone = (value: string) => tones[value] ?? ''
