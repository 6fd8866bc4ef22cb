/** statuses of a ticket, in their order. */
export const statuses = ['TODO', 'IN_PROGRESS', 'REVIEW', 'DONE', 'BLOCKED', 'CLOSED']

/** priorities of a ticket, in their order. */
export const priorities = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']

/** neighbour is the status so many steps on, or undefined at either end. */
export function neighbour(status: string, step: number): string | undefined {
  return statuses[statuses.indexOf(status) + step]
}
