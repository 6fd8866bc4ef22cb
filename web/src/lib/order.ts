import { kinds } from './kinds.gen'

/** apart are the fields of a record that have a place of their own. */
const apart = ['sources', 'evidence', 'conflicts', 'imported', 'contract', 'contractBy'] // imported is what an import compares by, nothing to read

/** first are the fields by which people know a record; they are its title. */
const first = ['title', 'name', 'outcome', 'message', 'content']

/** titleOf is how people call a record. */
export function titleOf(body: { [field: string]: unknown }): string {
  const field = first.find((f) => typeof body[f] === 'string' && body[f] !== '')
  const text = field === undefined ? '' : String(body[field])
  return text.length > 200 ? `${text.slice(0, 199)}…` : text
}

/** ordered are the fields of a record that say something, in the order in which people read them, the title left out. */
export function ordered(kind: string, body: { [field: string]: unknown }, owner?: string): [field: string, value: unknown][] {
  const known = kinds[kind]?.fields.map((f) => f.name) ?? []
  const all: { [field: string]: unknown } = owner && body.owner === undefined ? { ...body, owner } : body
  const names = [...known, ...Object.keys(all).filter((k) => !known.includes(k)).sort()]
  const title = titleOf(body)
  return names
    .filter((k) => !apart.includes(k) && all[k] !== undefined && all[k] !== '' && all[k] !== null && !(Array.isArray(all[k]) && (all[k] as unknown[]).length === 0))
    .filter((k) => !(first.includes(k) && all[k] === title))
    .map((k) => [k, all[k]])
}
