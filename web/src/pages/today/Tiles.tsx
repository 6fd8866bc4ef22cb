import { Link } from '@tanstack/react-router'
import type { Colour } from '../../lib/colours'
import { shortly } from '../../lib/when'
import { Sparkline } from '../../ui/Sparkline'
import type { Day } from './data'

/** Tile is one figure: how it is called, which tickets it counts, whether more of it is good or bad, how it was day by day. */
type Tile = { name: string; filter: string; now: number; change: number; good?: boolean; values: number[]; colour: Colour; bars?: boolean }

const over = '-status:DONE,CLOSED'

/** tiles are the figures of a day; a count of some time says of which. */
export function tiles(d: Day): Tile[] {
  const of = (get: (s: Day['now']) => number) => ({ now: get(d.now), change: get(d.now) - get(d.then), values: (d.days ?? []).map(get) })
  return [
    { name: 'Open', filter: over, colour: 'link', ...of((s) => s.open) },
    { name: 'In progress or review', filter: 'status:IN_PROGRESS,REVIEW', colour: 'live', ...of((s) => s.inProgress) },
    { name: `Done since ${shortly(d.since)}`, filter: 'status:DONE', colour: 'up', good: true, bars: true, now: d.done, change: d.done - d.doneThen, values: d.doneDays ?? [] },
    { name: 'Overdue', filter: `due:<today ${over}`, colour: 'danger', good: false, ...of((s) => s.overdue) },
    { name: 'Blocked', filter: 'status:BLOCKED', colour: 'danger', good: false, ...of((s) => s.blocked) },
    { name: 'Unassigned', filter: `-has:owner ${over}`, colour: 'warn', good: false, ...of((s) => s.unassigned) },
  ]
}

/** Change is how a figure moved: a sign, a number, and a colour where more is better or worse. */
function Change({ of: { change, good } }: { of: Tile }) {
  if (change === 0) return <span className="text-faint">=<span className="sr-only"> unchanged</span></span>
  const look = good === undefined ? 'text-muted' : (change > 0) === good ? 'text-up' : 'text-down'
  return <span data-sign={change > 0 ? '▲' : '▼'} className={`whitespace-nowrap ${look}`}>{Math.abs(change)}<span className="sr-only"> {change > 0 ? 'more' : 'fewer'}</span></span>
}

/** Tiles are the figures of a day, each with its change, how it went for two weeks, and the tickets behind it. */
export function Tiles({ of, since }: { of: Day; since: string }) {
  return (
    <ul aria-label={`Figures, with their change since ${since}`} className="m-0! mb-4! grid list-none! grid-cols-2 gap-2 p-0! @2xl:grid-cols-3 @5xl:grid-cols-6">
      {tiles(of).map((t) => (
        <li key={t.name}>
          <Link to="/tickets" search={{ filter: t.filter } as never} className="block border border-line bg-panel px-3 pt-2 pb-1 text-text! no-underline! hover:border-faint">
            <span className="flex items-baseline justify-between gap-2"><span className="min-w-0 truncate text-sm text-accent" title={t.name}>{t.name}</span> <Change of={t} /></span>
            <span className="flex items-end gap-3">
              <span className={`text-figure leading-tight tabular-nums ${t.now > 0 && t.colour === 'danger' ? 'text-danger' : 'text-strong'}`}>{t.now}</span>
              <span className="min-w-0 flex-1"><Sparkline values={t.values} colour={t.now === 0 && t.good === false ? 'muted' : t.colour} bars={t.bars ?? false} /></span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
