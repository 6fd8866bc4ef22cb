import { shown, spoken } from '../../lib/changes'
import type { Known } from '../../lib/titles'
import { isRecord } from '../../lib/titles'
import { moment } from '../../lib/when'
import { worded } from '../../lib/words'
import { Ids } from '../../ui/Ids'
import { Named } from '../../ui/Named'

/** Value is what a field of a record says: records by their titles, lists line by line, texts as they were written. */
export function Value(p: { of: unknown; titles: Map<string, Known>; choice?: boolean }) {
  const v = p.of
  if (typeof v === 'boolean') return v ? 'yes' : 'no'
  if (typeof v === 'string') {
    if (p.choice || /^[A-Z]+(_[A-Z]+)+$/.test(v)) return worded(v)
    if (/^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(v)) return <time dateTime={v}>{moment(v)}</time>
    if (isRecord(v)) return <Named ids={[v]} titles={p.titles} />
    if (/^https?:\/\/\S+$/.test(v)) return <a href={v} target="_blank" rel="noreferrer noopener">{v}</a>
    return <Ids text={v} />
  }
  if (Array.isArray(v)) {
    if (v.every((x) => typeof x === 'string' && isRecord(x))) return <Named ids={v as string[]} titles={p.titles} />
    return <ul className="m-0 list-none p-0">{v.map((x, i) => <li key={i}>{typeof x === 'object' ? <Item of={x as { [field: string]: unknown }} titles={p.titles} /> : <Ids text={String(x)} />}</li>)}</ul>
  }
  if (typeof v === 'object' && v !== null) return <Item of={v as { [field: string]: unknown }} titles={p.titles} />
  return <span className="tabular-nums">{String(v)}</span>
}

/** Item is one thing of a list, such as a decision or what has to be checked: its text, then the rest. */
function Item(p: { of: { [field: string]: unknown }; titles: Map<string, Known> }) {
  const lead = ['text', 'title', 'name', 'quote', 'snippet'].find((k) => typeof p.of[k] === 'string')
  const rest = Object.entries(p.of).filter(([k, v]) => k !== lead && k !== 'sources' && k !== 'itemId' && v !== '' && v !== undefined)
  return (
    <>
      {lead && <Ids text={String(p.of[lead])} />}{' '}
      <span className="text-muted">
        {rest.map(([k, v], i) => <span key={k}>{i > 0 && ' · '}{spoken(k)} {typeof v === 'string' && isRecord(v) ? <Named ids={[v]} titles={p.titles} /> : shown(v)}</span>)}
      </span>
    </>
  )
}
