import { Link } from '@tanstack/react-router'
import { count } from '../../lib/count'
import type { useRows } from '../../lib/rows'
import { day } from '../../lib/when'
import { Person } from '../../ui/Person'
import type { Day } from './data'
import { line, Part } from './Part'

type Row = ReturnType<typeof useRows>['row']
type Slip = NonNullable<Day['slips']>[number]
type Delay = NonNullable<Day['plan']>[number]

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

/** delays are why a milestone or a phase is told of: its sign, how many are told of, and its colour. */
const delays: { [why: string]: { sign: string; word: string; look: string } } = {
  OVERDUE: { sign: '!', word: 'of the plan over', look: 'text-danger' },
  AT_RISK: { sign: '◷', word: 'of the plan at risk', look: 'text-warn' },
  UNFINISHED: { sign: '◔', word: 'of the plan unfinished', look: 'text-warn' },
}

/** delayed says in words why a milestone or a phase is told of. */
export function delayed(d: Pick<Delay, 'why' | 'days'>): string {
  if (d.why === 'UNFINISHED') return 'not finished'
  return why({ cause: d.why === 'OVERDUE' ? 'OVERDUE' : 'DUE_SOON', days: d.days })
}

/** waits says for how many open tickets and items a milestone or a phase waits. */
export function waits(d: Pick<Delay, 'openTickets' | 'openItems'>): string {
  return [d.openTickets > 0 && `${count(d.openTickets, 'ticket')} open`, d.openItems > 0 && `${count(d.openItems, 'item')} not ticked`].filter(Boolean).join(', ')
}

/** Slipping is what is late or will be: the plan's milestones and phases, then tickets, the gravest first. */
export function Slipping(p: { of: Day; row: Row }) {
  const slips = p.of.slips ?? []
  const plan = p.of.plan ?? []
  const ofPlan = Object.entries(delays).flatMap(([reason, d]) => (p.of.delayed[reason] ? [{ ...d, reason, n: p.of.delayed[reason] }] : []))
  const parts = ofPlan.reduce((n, d) => n + d.n, 0)
  const counted = Object.entries(causes).flatMap(([cause, c]) => (p.of.slipping[cause] ? [{ ...c, cause, n: p.of.slipping[cause] }] : []))
  const total = counted.reduce((n, c) => n + c.n, 0)
  return (
    <Part
      name="Will slip" to="/tickets" search={{ filter: `due:<today ${over}` }} count={total + parts}
      beside={[...ofPlan.map((d) => <Link key={d.reason} to="/plan" className={d.look}><span data-sign={d.sign}>{d.n} {d.word}</span></Link>), ...counted.map((c) => (c.filter ? <Link key={c.cause} to="/tickets" search={{ filter: c.filter } as never} className={c.look}><span data-sign={c.sign}>{c.n} {c.word}</span></Link> : <span key={c.cause} data-sign={c.sign} className={c.look}>{c.n} {c.word}</span>))]}
    >
      {plan.map((d) => {
        const { className, ...place } = p.row(`plan ${d.id}`)
        return (
          <div key={d.id} {...place} className={`${line} ${className}`}>
            <span data-sign={delays[d.why]?.sign} className={`w-[15ch] shrink-0 whitespace-nowrap ${delays[d.why]?.look ?? ''}`}>{delayed(d)}</span>
            <span className="shrink-0 text-muted">{d.kind}</span>
            <Link to="/records/$id" params={{ id: d.id }} className="min-w-0 flex-1 truncate">{d.name}</Link>
            <span className="shrink-0 text-sm text-muted @max-3xl:hidden">{waits(d)}</span>
            <span className="max-w-[20ch] shrink-0 truncate @max-3xl:hidden">{d.owner && <Person name={d.owner} />}</span>
            <span className="w-[7ch] shrink-0 text-right text-sm text-muted @max-2xl:hidden">{d.day ? day(d.day) : ''}</span>
          </div>
        )
      })}
      {plan.length < parts && <p className="m-0! px-2 py-0.5 text-sm text-muted">and {parts - plan.length} more of the <Link to="/plan">plan</Link></p>}
      {slips.length === 0 && plan.length === 0 && <p className="m-0! px-2 py-1 text-muted" data-sign="✓">Nothing is late, blocked or due within a week.</p>}
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
