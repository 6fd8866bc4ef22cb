/** statuses of a ticket, in their order. */
export const statuses = ['TODO', 'IN_PROGRESS', 'REVIEW', 'DONE', 'BLOCKED']

/** priorities of a ticket, in their order. */
export const priorities = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']
