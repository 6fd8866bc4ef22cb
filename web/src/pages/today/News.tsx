import { Link } from '@tanstack/react-router'
import { spoken } from '../../lib/changes'
import type { useRows } from '../../lib/rows'
import { day, shortly } from '../../lib/when'
import { useWho } from '../../lib/who'
import { worded } from '../../lib/words'
import type { Day } from './data'
import { line, Part } from './Part'

type Row = ReturnType<typeof useRows>['row']
type News = NonNullable<Day['news']>[number]

/** whats are what may have become of a record: its sign, how it is said of one, and its colour. */
const whats: { [what: string]: [sign: string, word: string, look: string] } = {
  BLOCKED: ['■', 'blocked', 'text-danger'], DONE: ['✓', 'done', 'text-up'], REOPENED: ['↻', 'reopened', 'text-warn'], DATED: ['◷', 'new date', 'text-warn'],
  ASSIGNED: ['→', 'assigned', 'text-person'], STARTED: ['◐', 'started', 'text-live'], CLOSED: ['⊘', 'closed', 'text-muted'], DELETED: ['−', 'deleted', 'text-danger'],
  CREATED: ['+', 'new', 'text-up'], CHANGED: ['~', 'changed', 'text-link'],
}

/** detail says what is different, as short as one reads it. */
function detail(n: News): string {
  if (n.what === 'DATED') return `${n.from ? `${day(n.from)} → ` : ''}${n.to ? day(n.to) : 'no date'}`
  if (n.what === 'ASSIGNED') return n.to ?? ''
  if (n.what === 'CHANGED') return n.field === 'status' ? `${worded(n.from)} → ${worded(n.to)}` : spoken(n.field ?? '')
  return n.kind === 'ticket' ? '' : spoken(n.kind)
}

/** Changed is what became of the records since a moment, with how often each thing happened. */
export function Changed(p: { of: Day; since: string; row: Row }) {
  const who = useWho()
  const all = p.of.news ?? []
  const happened = Object.entries(whats).flatMap(([what, [sign, word, look]]) => (p.of.happened[what] ? [{ what, sign, word, look, n: p.of.happened[what] }] : []))
  const total = happened.reduce((n, h) => n + h.n, 0)
  return (
    <Part name="Changed" to="/today" search={{ since: p.of.since }} count={total} beside={happened.map((h) => <span key={h.what} data-sign={h.sign} className={h.look}>{h.n} {h.word}</span>)}>
      {all.length === 0 && <p className="m-0! px-2 py-1 text-muted">Nothing changed since {p.since}.</p>}
      {all.map((n) => {
        const { className, ...place } = p.row(`news ${n.id} ${n.what}`)
        const [sign, word, look] = whats[n.what] ?? ['·', worded(n.what), 'text-text']
        return (
          <div key={`${n.id} ${n.what}`} {...place} className={`${line} ${className}`}>
            <span data-sign={sign} className={`w-[11ch] shrink-0 ${look}`}>{word}</span>
            <Link to="/records/$id" params={{ id: n.id }} className="min-w-0 truncate">{n.title}</Link>
            <span className="max-w-[26ch] shrink-0 truncate text-text">{detail(n)}</span>
            <span className="ml-auto max-w-[14ch] shrink-0 truncate text-muted @max-3xl:hidden">{(n.by ?? []).map(who).join(', ')}</span>
            <time dateTime={n.at} className="shrink-0 text-sm text-faint">{shortly(n.at)}</time>
          </div>
        )
      })}
      {total > all.length && <p className="m-0! px-2 py-0.5 text-sm"><Link to="/today" search={{ since: p.of.since } as never}>All {total}, and what else is different</Link></p>}
    </Part>
  )
}
