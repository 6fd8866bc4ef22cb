import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api, must, type Schemas } from '../api/client'
import { count } from '../lib/count'
import { foretold } from '../lib/foretold'
import { useMoment } from '../lib/moment'
import { useKeys } from '../lib/pane'
import { useWord } from '../lib/project'
import { useRows } from '../lib/rows'
import { amount, current, daysOf, how, useSprints } from '../lib/sprint'
import { day } from '../lib/when'
import { useWho } from '../lib/who'
import { Bar } from '../ui/Bar'
import { Chart } from '../ui/Chart'
import { State } from '../ui/State'
import { Table } from '../ui/Table'

type Health = Schemas['FlowHealth']

const stateWords: { [state: string]: string } = { PLANNED: 'planned', RUNNING: 'running', OVER: 'over' }

/** Sprint shows how a sprint does: the chosen one, else the one that runs, else the newest. */
export function Sprint({ project }: { project: string }) {
  const { asOf, query } = useMoment()
  const [wanted, choose] = useWord('sprint')
  const list = useSprints(project, asOf)
  const all = list.data?.items ?? []
  const name = wanted || current(all)?.name || ''
  const q = useQuery({
    queryKey: ['counts', project, 'sprint', name, asOf],
    enabled: name !== '',
    queryFn: () => must(api.GET('/api/projects/{project}/sprints/{sprint}', { params: { path: { project, sprint: name }, query } })),
  })
  const told = useQuery({
    queryKey: ['counts', project, 'forecast', name, asOf],
    enabled: name !== '',
    queryFn: () => must(api.GET('/api/projects/{project}/forecast', { params: { path: { project }, query: { ...query, sprint: name } } })),
  })
  const at = all.findIndex((s) => s.name.toLowerCase() === name.toLowerCase())
  const step = (by: number) => {
    const next = all[at + by]
    if (next) choose(next.name)
  }
  useKeys([{ key: '<', does: 'the sprint before', act: () => step(1) }, { key: '>', does: 'the sprint after', act: () => step(-1) }])
  return (
    <section>
      <h2>Sprint</h2>
      <State
        pending={list.isPending || (name !== '' && (q.isPending || told.isPending))} error={list.error ?? q.error} empty={name === ''}
        hint="No sprint is named yet. Tickets of an export come with theirs; a line such as “Sprint 7 goal: …” in minutes names one; or set the sprint of tickets: chela edit tickets."
      >
        <div className="row">
          <select aria-label="Sprint" value={at >= 0 ? all[at]?.name : name} onChange={(e) => choose(e.target.value)}>
            {at < 0 && <option>{name}</option>}
            {all.map((s) => <option key={s.name} value={s.name}>{s.name} · {stateWords[s.state] ?? s.state}</option>)}
          </select>
          {q.data && <Dates health={q.data} />}
          <span className="ml-auto text-muted @max-2xl:hidden"><kbd>&lt;</kbd> before <kbd>&gt;</kbd> after</span>
        </div>
        {told.data && q.data?.state !== 'OVER' && <Forecast of={told.data} />}
        {q.data && <Body key={q.data.name} health={q.data} />}
      </State>
    </section>
  )
}

/** Forecast says when what is left of the sprint will be done. */
function Forecast({ of }: { of: Schemas['ForecastForecast'] }) {
  const [most, ...rest] = [...foretold(of), ...(of.notes ?? [])]
  return <p data-testid="forecast" className="mt-2">{most} <span className="text-muted">{rest.join(' ')}</span></p>
}

function Dates({ health: h }: { health: Health }) {
  return (
    <span className="text-muted">
      {day(h.beginDate ?? 'no day')} to {day(h.endDate ?? 'no end')}
      {!h.dated && ' (its first ticket; give its sprint plan a start and an end)'}
    </span>
  )
}

/** away says on how many working days that are left people are away. */
const away = (h: Health) => (h.awayDays ? `; people are away on ${count(h.awayDays, 'day')} of work` : '')

/** Sums are the numbers that say most, at a glance. */
function Sums({ health: h }: { health: Health }) {
  const percent = h.scope.points > 0 ? Math.round((h.done.points / h.scope.points) * 100) : h.scope.tickets > 0 ? Math.round((h.done.tickets / h.scope.tickets) * 100) : 0
  const grown = h.scope.tickets - h.base.tickets
  const bar = <Bar label={`${h.done.points} of ${h.scope.points} points are done`} whole={h.scope.points || h.scope.tickets} parts={[{ value: h.scope.points ? h.done.points : h.done.tickets, colour: 'up' }]} />
  const cells: [string, ReactNode, string][] = [
    ['Done', <span key="done" className="flex items-baseline gap-2 whitespace-nowrap"><span>{percent}%</span> {bar}</span>, amount(h.done)],
    ['Left', String(h.left.tickets), amount(h.left)],
    ['Scope', String(h.scope.tickets), amount(h.scope)],
    ['Scope change', `${grown > 0 ? '+' : ''}${grown}`, `${h.cameIn.tickets} in, ${h.wentOut.tickets} out${h.estimatedPoints ? `, estimates ${h.estimatedPoints > 0 ? '+' : ''}${h.estimatedPoints} pt` : ''}`],
    ['Carried over', String(h.carriedIn.tickets), `${amount(h.carriedIn)} in, ${count(h.carriedOut.tickets, 'ticket')} out`],
    ['Days left', h.state === 'RUNNING' && h.endDate ? String(h.daysLeft) : '–', h.state === 'OVER' ? 'it is over' : `${h.state === 'PLANNED' ? 'it has not begun' : h.endDate ? `until ${day(h.endDate)}` : 'no end is set'}${away(h)}`],
  ]
  return (
    <dl className="my-3 grid grid-cols-2 gap-px border border-line bg-line @2xl:grid-cols-6" data-testid="sums">
      {cells.map(([name, value, more]) => (
        <div key={name} className="block! border-0! bg-panel px-3! py-2!">
          <dt>{name}</dt>
          <dd className="text-figure leading-tight tabular-nums">{value}</dd>
          <dd className="text-muted">{more}</dd>
        </div>
      ))}
    </dl>
  )
}

function Body({ health: h }: { health: Health }) {
  const [points, setPoints] = useState(h.scope.points > 0)
  const unit = points ? 'points' : 'tickets'
  useKeys([{ key: 'p', does: 'points or tickets', act: () => setPoints(!points) }])
  const names = daysOf(h)
  const values = (of: 'scope' | 'done') => names.map((_, i) => h.days?.[i]?.[of][unit] ?? null)
  return (
    <>
      {h.goal && <p className="mt-2">{h.goal}</p>}
      <Sums health={h} />
      {(h.away ?? []).length > 0 && <p className="text-muted">Away on working days of those left: {(h.away ?? []).map((p) => `${p.name} ${count(p.days, 'day')}`).join(', ')}.</p>}
      {names.length === 0
        ? <p className="text-muted">It begins on {day(h.beginDate ?? 'a day that is not set')}; the chart begins with it.</p>
        : (
          <div className="mt-3">
            <Chart
              title={`Burn-up in ${unit}`} file={`burn-up ${h.name} ${unit}`} head="Day" names={names}
              lines={[{ name: `Scope, ${unit}`, values: values('scope'), colour: 'text' }, { name: `Done, ${unit}`, values: values('done'), colour: 'up', filled: true }]}
              marks={h.state === 'RUNNING' ? [{ at: h.today, name: 'today' }] : []}
              tools={<button type="button" className="px-2 py-0" onClick={() => setPoints(!points)}>{points ? 'in tickets' : 'in points'} <kbd>p</kbd></button>}
            />
          </div>
        )}
      <Carried health={h} />
      <Shifts health={h} />
    </>
  )
}

/** Carried lists what came from earlier sprints, and what went on to later ones. */
function Carried({ health: h }: { health: Health }) {
  const all = [...(h.carriedInTickets ?? []).map((c) => ({ ...c, way: 'from' })), ...(h.carriedOutTickets ?? []).map((c) => ({ ...c, way: 'to' }))]
  if (all.length === 0) return null
  return (
    <>
      <h3>Carried over <span className="text-muted">{count(all.length, 'ticket')}</span></h3>
      <Table
        heads={['Ticket', 'Sprints', 'Points']}
        rows={all.map((c) => ({
          key: `${c.way} ${c.ticketId}`,
          cells: [<Link key="ticket" to="/records/$id" params={{ id: c.ticketId }}>{c.title}</Link>, `${c.way} ${(c.sprints ?? []).join(', ')}`, <span key="p" className="tabular-nums">{c.amount.points}</span>],
        }))}
      />
    </>
  )
}

/** Shifts lists what came in and went out after the first day, the last first. */
function Shifts({ health: h }: { health: Health }) {
  const navigate = useNavigate()
  const who = useWho()
  const all = (h.shifts ?? []).map((s, i) => ({ ...s, id: `${s.ticketId} ${i}` })).toReversed()
  const { row } = useRows(all.map((s) => s.id), { Enter: { does: 'open the ticket', act: (id) => void navigate({ to: '/records/$id', params: { id: id.split(' ')[0] ?? '' } } as never) } })
  return (
    <>
      <h3>Scope change <span className="text-muted">{count(all.length, 'change')} after the first day</span></h3>
      <State pending={false} error={null} empty={all.length === 0} hint="The scope is what it was at the end of the first day.">
        <Table
          heads={['Day', 'Ticket', 'How', { name: 'Tickets', from: 40 }, 'Points', { name: 'By', from: 52 }]}
          rows={all.map((s) => ({
            key: s.id, on: row(s.id),
            cells: [
              <span key="day" className="whitespace-nowrap">{day(s.at)}</span>, <Link key="ticket" to="/records/$id" params={{ id: s.ticketId }}>{s.title}</Link>, how(s),
              <Signed key="n" of={s.change.tickets} />, <Signed key="p" of={s.change.points} />, <span key="by" className="inline-block w-[16ch] truncate text-muted" title={who(s.by)}>{who(s.by)}</span>, // its room does not wait for the name
            ],
          }))}
        />
      </State>
    </>
  )
}

/** Signed is a number with its sign; more scope is a warning, less is good. */
function Signed({ of }: { of: number }) {
  return <span className={`tabular-nums ${of > 0 ? 'text-warn' : of < 0 ? 'text-up' : 'text-muted'}`}>{of > 0 ? '+' : ''}{of}</span>
}
