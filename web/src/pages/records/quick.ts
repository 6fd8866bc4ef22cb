import type { Schemas } from '../../api/client'
import type { Field } from '../../lib/form'
import { kinds } from '../../lib/kinds.gen'

export type Rec = Schemas['RecordOfRawMessage']
type Body = { [field: string]: unknown }

/** Quick is a field that one key changes: the key, how the field is called, and what it takes. */
export type Quick = { key: string; field: string; name: string; takes: 'choice' | 'person' | 'date'; choices?: string[] }

const dates = ['dueDate', 'targetDate', 'endDate', 'triggerAt']

/** quicksOf are the fields of a kind that one key changes: s its status, a who has it, d its day, p its priority. */
export function quicksOf(kind: string): Quick[] {
  const fields = kinds[kind]?.fields ?? []
  const of = (name: string): Field | undefined => fields.find((f) => f.name === name)
  const day = dates.map(of).find((f) => f?.takes === 'date')
  const status = of('status')
  const priority = of('priority') ?? of('severity')
  return [
    ...(status?.takes === 'choice' ? [{ key: 's', field: 'status', name: 'Status', takes: 'choice' as const, ...(status.choices && { choices: status.choices }) }] : []),
    ...(of('owner') ? [{ key: 'a', field: 'owner', name: 'Owner', takes: 'person' as const }] : []),
    ...(day ? [{ key: 'd', field: day.name, name: day.name === 'dueDate' ? 'Due' : day.name === 'targetDate' ? 'Target' : 'End', takes: 'date' as const }] : []),
    ...(priority?.takes === 'choice' ? [{ key: 'p', field: priority.name, name: priority.name === 'priority' ? 'Priority' : 'Severity', takes: 'choice' as const, ...(priority.choices && { choices: priority.choices }) }] : []),
  ]
}

/** factOf is what a record has in a field that one key changes; the owner stands beside the body. */
export function factOf(r: Rec, field: string): string {
  const value = (r.body as Body)[field] ?? (field === 'owner' ? r.owner : undefined)
  return typeof value === 'string' ? value : ''
}

/** longOf is the field of a kind that is a text of some length, which is read and written in place; undefined when the kind has none, or is known by it. */
export function longOf(kind: string): string | undefined {
  const long = kinds[kind]?.fields.find((f) => f.takes === 'area' && f.name !== kinds[kind]?.named)
  return long?.name
}
