import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, must, type Schemas } from '../../api/client'
import { useMayEdit, useMoment } from '../../lib/moment'
import { useRows } from '../../lib/rows'
import { type Entry, lateness } from '../../lib/timeline'
import { day } from '../../lib/when'
import { State } from '../../ui/State'
import { Status } from '../../ui/Status'
import { Table } from '../../ui/Table'
import { ViewHead } from '../../ui/ViewHead'
import { Add } from './Add'
import { Timeline } from './Timeline'

type Phase = Schemas['RecordOfPhaseBody']
type Milestone = Schemas['RecordOfMilestoneBody']

/** inOrder are the phases in theirs, each with its milestones by day; those of no phase come last. */
function inOrder(phases: Phase[], milestones: Milestone[]): Entry[] {
  const known = new Set(phases.map((p) => p.id))
  const of = (id: string | undefined): Entry[] =>
    milestones
      .filter((m) => (id === undefined ? !known.has(m.body.phaseId ?? '') : m.body.phaseId === id))
      .toSorted((a, b) => (a.body.targetDate || '9').localeCompare(b.body.targetDate || '9'))
      .map((m) => ({ id: m.id, kind: 'milestone', name: m.body.name, status: m.body.status, ...(m.body.targetDate && { to: m.body.targetDate }), ...(m.body.actualDate && { reached: m.body.actualDate }) }))
  const sorted = phases.toSorted((a, b) => (a.body.sortOrder ?? 0) - (b.body.sortOrder ?? 0) || (a.body.startDate ?? '').localeCompare(b.body.startDate ?? ''))
  return [
    ...sorted.flatMap((p) => [
      { id: p.id, kind: 'phase' as const, name: p.body.name, status: p.body.status, ...(p.body.startDate && { from: p.body.startDate }), ...(p.body.endDate && { to: p.body.endDate }) },
      ...of(p.id),
    ]),
    ...of(undefined),
  ]
}

/** Plan shows phases and milestones on a timeline, with the table beneath. */
export function Plan({ project }: { project: string }) {
  const navigate = useNavigate()
  const { asOf, query, day: today } = useMoment()
  const may = useMayEdit()
  const [adding, setAdding] = useState(false)
  const path = { project }
  const phases = useQuery({ queryKey: ['phase', project, asOf], queryFn: () => must(api.GET('/api/projects/{project}/phases', { params: { path, query: { ...query, limit: 500 } } })) })
  const milestones = useQuery({ queryKey: ['milestone', project, asOf], queryFn: () => must(api.GET('/api/projects/{project}/milestones', { params: { path, query: { ...query, limit: 500 } } })) })
  const stones = milestones.data?.items ?? []
  const entries = inOrder(phases.data?.items ?? [], stones)
  const { row } = useRows(entries.map((e) => e.id), { Enter: { does: 'open the phase or milestone', act: (id) => void navigate({ to: '/records/$id', params: { id } } as never) } })
  const late = entries.filter((e) => lateness(e, today) !== '').length
  return (
    <section>
      <ViewHead title={<>Plan {late > 0 && <span className="text-danger" data-testid="late">{late} late</span>}</>} primary={may && { name: 'New phase or milestone', open: adding, act: () => setAdding(true) }} />
      {may && adding && <Add project={project} phases={phases.data?.items ?? []} onClose={() => setAdding(false)} />}
      <State
        pending={phases.isPending || milestones.isPending} error={phases.error ?? milestones.error} empty={entries.length === 0}
        hint="No phases and no milestones yet. Add the first with n, or ask the planner in Chat for a plan."
      >
        <Timeline entries={entries} today={today} row={row} />
        <p className="text-muted">◇ to come · ◆ reached · <span className="text-warn">┆</span> today · <span className="text-danger">red is late</span></p>
        <Rows entries={entries} phases={phases.data?.items ?? []} stones={stones} today={today} />
      </State>
    </section>
  )
}

/** Rows is the table beneath the timeline. */
function Rows(p: { entries: Entry[]; phases: Phase[]; stones: Milestone[]; today: string }) {
  const phase = new Map(p.phases.map((x) => [x.id, x.body]))
  const stone = new Map(p.stones.map((x) => [x.id, x.body]))
  return (
    <Table
      heads={[{ name: 'Kind', from: 52 }, 'Name', 'Status', { name: 'From', from: 64 }, 'To', { name: 'Reached', from: 64 }, 'Late', { name: 'Owner', from: 52 }, { name: 'More', from: 64 }]}
      rows={p.entries.map((e) => {
        const m = stone.get(e.id)
        const f = phase.get(e.id)
        const tickets = m?.ticketIds?.length
        return {
          key: e.id,
          cells: [
            <span key="kind" className="text-muted">{e.kind}</span>, <Link key="name" to="/records/$id" params={{ id: e.id }}>{e.name}</Link>, <Status key="status" of={e.status} />,
            <Day key="from" of={e.from} />, <Day key="to" of={e.to} />, <Day key="reached" of={e.reached} />, <span key="late" className="text-danger">{lateness(e, p.today)}</span>, m?.owner,
            <span key="more" className="text-muted">
              {tickets ? `${tickets} tickets` : ''}
              {(f?.entryCriteria ?? []).length > 0 && <div>To begin: {f?.entryCriteria?.join('; ')}</div>}
              {(f?.exitCriteria ?? []).length > 0 && <div>To end: {f?.exitCriteria?.join('; ')}</div>}
            </span>,
          ],
        }
      })}
    />
  )
}

const Day = ({ of }: { of: string | undefined }) => (of ? <span className="whitespace-nowrap tabular-nums">{day(of)}</span> : null)
