import type { Schemas } from '../api/client'
import { moment } from './when'
import { worded } from './words'

type Diff = Schemas['DeskDiff']

/** ops are what can become of a record: a mark and a word. */
export const ops: { [op: string]: { mark: string; word: string; look: string } } = {
  created: { mark: '+', word: 'new', look: 'text-up' },
  updated: { mark: '~', word: 'changed', look: 'text-link' },
  deleted: { mark: '−', word: 'deleted', look: 'text-danger' },
  merged: { mark: '»', word: 'merged', look: 'text-warn' },
}

const longest = 160 // letters of a value that are shown

/** shown is a value of a field as people read it, short; nothing is an empty text. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(shown).join(', ').slice(0, longest)
  if (typeof value === 'object') {
    const o = value as { [name: string]: unknown }
    return shown(o.text ?? o.title ?? o.name ?? o.quote ?? o.snippet ?? JSON.stringify(o))
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = /^[A-Z]+(_[A-Z]+)+$|^(TODO|DONE|REVIEW|BLOCKED|CLOSED|LOW|MEDIUM|HIGH|CRITICAL|OPEN|ACTIVE|COMPLETED|PROVEN|UNPROVEN|WAIVED|PROPOSED|COMMITTED|ACHIEVED|ACKNOWLEDGED|RESOLVED|DISMISSED)$/.test(String(value)) ? worded(String(value)) : /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(String(value)) ? moment(String(value)) : String(value)
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text
}

/** spoken is a name of the API as words: dueDate is due date. */
export const spoken = (name: string) => name.replaceAll('_', ' ').replace(/([a-z])([A-Z])/g, '$1 $2').replace(/ Ids?\b/, '').toLowerCase()

/** Line is a line of a list of changes: the head of a kind, or a record of it. */
export type Line = { kind: string; count: number } | { diff: Diff }

/** grouped are the changes by kind, each kind under its head, the last change first. */
export function grouped(all: Diff[]): Line[] {
  const kinds = new Map<string, Diff[]>()
  for (const d of all) kinds.set(d.kind, [...(kinds.get(d.kind) ?? []), d])
  return [...kinds].flatMap(([kind, of]) => [{ kind, count: of.length }, ...of.toSorted((a, b) => b.at.localeCompare(a.at)).map((diff) => ({ diff }))])
}
