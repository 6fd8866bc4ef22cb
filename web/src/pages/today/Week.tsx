import { Link } from '@tanstack/react-router'
import type { Colour } from '../../lib/colours'
import { about, fullness, hoursless } from '../../lib/load'
import type { useRows } from '../../lib/rows'
import { Bar } from '../../ui/Bar'
import { Person } from '../../ui/Person'
import { Table } from '../../ui/Table'
import type { Day } from './data'
import { Part } from './Part'

type Row = ReturnType<typeof useRows>['row']

/** shownPeople is how many people the week shows. */
export const shownPeople = 10

/** fullest are the people whose week is fullest, first who has most; who has tickets and no hours has more than a full week. */
export const fullest = (d: Day) => (d.week ?? []).toSorted((a, b) => fullness(b.load, b.percent) - fullness(a.load, a.percent) || b.open - a.open).slice(0, shownPeople)

/** inkOf is the colour of a load. */
const inkOf = (percent: number): Colour => (percent > 100 ? 'danger' : percent >= 85 ? 'warn' : 'live')

/** none is a number, or a faint sign where there is nothing. */
const none = (n: number, look = '') => (n === 0 ? <span className="text-faint">·</span> : <span className={`tabular-nums ${look}`}>{n}</span>)

/** Week is how the team's week stands: each person's load, what is due of theirs, what is late, and what they finished. */
export function Week(p: { of: Day; row: Row }) {
  const people = fullest(p.of)
  const all = p.of.week ?? []
  if (all.length === 0) return null
  const whole = Math.max(140, ...people.map((w) => w.percent)) // one scale for all
  const overloaded = all.filter((w) => w.load === 'OVERLOADED').length
  const idle = all.filter((w) => w.load === 'IDLE').length
  return (
    <Part name="The team’s week" to="/people" count={all.length} beside={<>{overloaded > 0 && <span data-sign="▲" className="text-danger">{overloaded} overloaded</span>}{idle > 0 && <span className="text-muted">{idle} without work</span>}</>}>
      <Table
        heads={['Person', 'Load', 'Open', 'Due', 'Late', { name: 'Blocked', from: 52 }, { name: 'Done', from: 40 }]}
        rows={people.map((w) => ({
          key: w.resourceId, on: p.row(`week ${w.resourceId}`),
          cells: [
            <span key="who" className="flex items-baseline gap-2">
              <Link to="/tickets" search={{ filter: `owner:"${w.name}" -status:DONE,CLOSED` } as never} className="inline-block! max-w-[16ch] truncate align-bottom text-strong!"><Person name={w.name} /></Link>
              {(w.awayDays ?? 0) > 0 && w.load !== 'AWAY' && <span className="shrink-0 text-sm text-muted" title="of the next five working days">away {w.awayDays} d</span>}
            </span>,
            hoursless(w.load, w.percent) ? <span key="load" className={w.load === 'OVERLOADED' ? 'text-danger' : 'text-muted'}>{w.load === 'AWAY' ? 'away' : 'no hours'}</span> : <span key="load" className="flex min-w-[16ch] items-center gap-2">
              <Bar parts={[{ value: w.percent, colour: inkOf(w.percent) }]} whole={whole} mark={100} label={`${Math.round(w.percent)} % of their time`} />
              <span className={`shrink-0 tabular-nums ${w.percent > 100 ? 'text-danger' : 'text-text'}`}>{about({ estimate: w.guess, estimateCut: w.over }, '~')}{Math.round(w.percent)} %</span>
            </span>,
            none(w.open), none(w.due, 'text-warn'), none(w.overdue, 'text-danger'), none(w.blocked, 'text-danger'), none(w.done, 'text-up'),
          ],
        }))}
      />
      {all.length > people.length && <p className="m-0! px-2 py-0.5 text-sm"><Link to="/people">and {all.length - people.length} more</Link></p>}
    </Part>
  )
}
