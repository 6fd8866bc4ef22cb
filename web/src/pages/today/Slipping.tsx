import { Link } from '@tanstack/react-router'
import { count } from '../../lib/count'
import type { useRows } from '../../lib/rows'
import { day } from '../../lib/when'
import { Person } from '../../ui/Person'
import type { Day } from './data'
import { line, Part } from './Part'

type Row = ReturnType<typeof useRows>['row']
type Slip = NonNullable<Day['slips']>[number]

const over = '-status:DONE,CLOSED'

/** causes are why a ticket slips: its sign, how many are told of, its colour, and the tickets. */
const causes: { [cause: string]: { sign: string; word: string; look: string; filter?: string } } = {
  OVERDUE: { sign: '!', word: 'overdue', look: 'text-danger', filter: `due:<today ${over}` },
  BLOCKED: { sign: '■', word: 'blocked', look: 'text-danger', filter: 'status:BLOCKED' },
  DUE_SOON: { sign: '◷', word: 'due soon', look: 'text-warn' },
  AGEING: { sign: '◔', word: 'ageing', look: 'text-warn' },
}

/** why says in words why a ticket slips. */
export function why(s: Pick<Slip, 'cause' | 'days'>): string {
  if (s.cause === 'OVERDUE') return `${count(s.days, 'day')} over`
  if (s.cause === 'BLOCKED') return s.days > 0 ? `blocked, ${s.days} d` : 'blocked'
  if (s.cause === 'AGEING') return `${count(s.days, 'day')} in work`
  return s.days === 0 ? 'due today' : s.days === 1 ? 'due tomorrow' : `in ${s.days} days`
}

/** Slipping is what is late or will be, the gravest first. */
export function Slipping(p: { of: Day; row: Row }) {
  const slips = p.of.slips ?? []
  const counted = Object.entries(causes).flatMap(([cause, c]) => (p.of.slipping[cause] ? [{ ...c, cause, n: p.of.slipping[cause] }] : []))
  const total = counted.reduce((n, c) => n + c.n, 0)
  return (
    <Part
      name="Will slip" to="/tickets" search={{ filter: `due:<today ${over}` }} count={total}
      beside={counted.map((c) => (c.filter ? <Link key={c.cause} to="/tickets" search={{ filter: c.filter } as never} className={c.look}><span data-sign={c.sign}>{c.n} {c.word}</span></Link> : <span key={c.cause} data-sign={c.sign} className={c.look}>{c.n} {c.word}</span>))}
    >
      {slips.length === 0 && <p className="m-0! px-2 py-1 text-muted" data-sign="✓">Nothing is late, blocked or due within a week.</p>}
      {slips.map((s) => {
        const { className, ...place } = p.row(`slip ${s.id}`)
        return (
          <div key={s.id} {...place} className={`${line} ${className}`}>
            <span data-sign={causes[s.cause]?.sign} className={`w-[15ch] shrink-0 whitespace-nowrap ${causes[s.cause]?.look ?? ''}`}>{why(s)}</span>
            {s.key && <span className="shrink-0 text-muted">{s.key}</span>}
            <Link to="/records/$id" params={{ id: s.id }} className="min-w-0 flex-1 truncate">{s.title}</Link>
            <span className="max-w-[20ch] shrink-0 truncate @max-3xl:hidden"><Person name={p.of.owners[s.id]} /></span>
            <span className="w-[7ch] shrink-0 text-right text-sm text-muted @max-2xl:hidden">{s.dueDate ? day(s.dueDate) : ''}</span>
          </div>
        )
      })}
      {total > slips.length && <p className="m-0! px-2 py-0.5 text-sm text-muted">and {total - slips.length} more</p>}
    </Part>
  )
}
