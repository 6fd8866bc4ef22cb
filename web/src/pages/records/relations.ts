import type { Schemas } from '../../api/client'

type Mention = Schemas['Mention']

/** Relation is how other records stand to a record: a name, and those that do. */
export type Relation = { name: string; of: Mention[] }

/** names say how another record stands to a ticket, by the field that names it and which of the two has the field. */
const names: { [way: string]: { [field: string]: string } } = {
  to: { parentTicketId: 'Part of', blockedBy: 'Waits for', duplicateOf: 'Duplicate of', relatedTo: 'Related', objectiveIds: 'Serves', phaseId: 'Phase', linkedThreadIds: 'Spoken of in' },
  by: { parentTicketId: 'Sub-items', blockedBy: 'Blocks', duplicateOf: 'Duplicates', relatedTo: 'Related', ticketIds: 'Named by', objectiveIds: 'Tickets', phaseId: 'Tickets' },
}

const order = ['Sub-items', 'Part of', 'Waits for', 'Blocks', 'Serves', 'Tickets', 'Related', 'Duplicate of', 'Duplicates']

/** hidden are the kinds of records that a record's page shows in another place, or that say nothing to a person. */
const hidden = ['comment', 'assignment', 'intake', 'upload', 'delta_pack', 'reconciliation']

/** relationsOf are the records around one, by how they stand to it: sub-items first. */
export function relationsOf(to: Mention[], by: Mention[]): Relation[] {
  const groups = new Map<string, Mention[]>()
  const add = (way: 'to' | 'by', rest: string) => (m: Mention) => {
    if (hidden.includes(m.kind)) return
    const name = (m.fields ?? []).map((f) => names[way]?.[f.split('.')[0] ?? '']).find(Boolean) ?? rest
    const had = groups.get(name) ?? []
    if (!had.some((x) => x.id === m.id)) groups.set(name, [...had, m])
  }
  to.forEach(add('to', 'Refers to'))
  by.forEach(add('by', 'Referred to by'))
  const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
  return [...groups].map(([name, of]) => ({ name, of })).sort((a, b) => place(a.name) - place(b.name))
}

/** Way is a way to link a ticket with another record: what it is called, which kind it leads to, the field, and whether the other has it. */
export type Way = { name: string; kind: 'ticket' | 'objective'; field: string; other?: true; one?: true }

/** ways are the ways to link a ticket. */
export const ways: Way[] = [
  { name: 'waits for', kind: 'ticket', field: 'blockedBy' },
  { name: 'blocks', kind: 'ticket', field: 'blockedBy', other: true },
  { name: 'has the sub-item', kind: 'ticket', field: 'parentTicketId', other: true, one: true },
  { name: 'is part of', kind: 'ticket', field: 'parentTicketId', one: true },
  { name: 'is related to', kind: 'ticket', field: 'relatedTo' },
  { name: 'serves', kind: 'objective', field: 'objectiveIds' },
]

/** narrowed finds records by what is typed: tickets by their key, such as PAY-202 or 202, else by words. */
export function narrowed(kind: Way['kind'], typed: string): { q?: string; filter?: string } {
  if (typed === '') return {}
  return kind === 'ticket' && /^([\p{L}\p{N}_]*[-#])?\d+$/u.test(typed) ? { filter: `externalRef:~"${typed}"` } : { q: typed }
}
