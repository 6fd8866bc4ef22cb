import { spoken } from '../../lib/changes'
import { kinds } from '../../lib/kinds.gen'
import { ordered } from '../../lib/order'
import { isRecord, useTitles } from '../../lib/titles'
import { longOf, quicksOf, type Rec } from './quick'
import { Value } from './Value'

type Body = { [field: string]: unknown }

/** idsIn are the ids of records that the fields of a body name. */
function idsIn(value: unknown): string[] {
  if (typeof value === 'string') return isRecord(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(idsIn) : []
}

/** Rest are the fields that have no place of their own. */
export function Rest({ of: r }: { of: Rec }) {
  const body = r.body as Body
  const own = [...quicksOf(r.kind).map((q) => q.field), longOf(r.kind), 'externalRef', 'parentTicketId', 'blockedBy', 'relatedTo', 'duplicateOf', 'objectiveIds', 'imported', 'contract', 'contractBy', 'proof']
  const fields = ordered(r.kind, body, r.owner).filter(([k]) => !own.includes(k))
  const titles = useTitles(r.projectId, idsIn(Object.fromEntries(fields)))
  const choices = new Set(kinds[r.kind]?.fields.filter((f) => f.takes === 'choice').map((f) => f.name))
  if (fields.length === 0) return null
  return <dl className="mt-0 mb-2">{fields.map(([k, v]) => <div key={k}><dt>{spoken(k)}</dt><dd><Value of={v} titles={titles} choice={choices.has(k)} /></dd></div>)}</dl>
}
