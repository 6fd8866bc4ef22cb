import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, done, must } from '../../api/client'
import { useWord } from '../../lib/project'
import { useRows } from '../../lib/rows'
import { recent } from '../../lib/when'
import { Agent } from '../../ui/Agent'
import { ViewHead } from '../../ui/ViewHead'
import { Status } from '../../ui/Status'
import { State } from '../../ui/State'
import { Table } from '../../ui/Table'
import { Whole } from '../../ui/Whole'
import { named } from './Deliver'
import { Ended } from './Ended'
import { Planned } from './Planned'
import { ScheduleForm } from './ScheduleForm'
import { type Schedule, useNames, when } from './when'

/** useActs are what can be done to a schedule. */
function useActs() {
  const queries = useQueryClient()
  const again = { onSettled: () => void queries.invalidateQueries({ queryKey: ['schedule'] }) }
  const turn = useMutation({ mutationFn: (s: Schedule) => must(api.PUT('/api/schedules/{id}', { params: { path: { id: s.scheduleId } }, body: { enabled: !s.enabled } })), ...again })
  const run = useMutation({ mutationFn: (s: Schedule) => must(api.POST('/api/executions/trigger', { body: { scheduleId: s.scheduleId } })), ...again })
  const remove = useMutation({ mutationFn: (s: Schedule) => done(api.DELETE('/api/schedules/{id}', { params: { path: { id: s.scheduleId } } })), ...again })
  return { turn, run, remove, wrong: turn.error ?? run.error ?? remove.error }
}

/** Schedules shows which agent works when; keys switch, begin, edit and make them, and each shows what came of it. */
export function Schedules() {
  const projects = useNames()
  const [of, setOf] = useWord('filter') // whose ended executions are shown
  const [form, setForm] = useState('') // 'new', or the schedule that is edited
  const q = useQuery({ queryKey: ['schedule', 'list'], queryFn: () => must(api.GET('/api/schedules')) })
  const { turn, run, remove, wrong } = useActs()
  const list = q.data ?? []
  const find = (id: string) => list.find((s) => s.scheduleId === id)
  const with_ = (act: (s: Schedule) => void) => (id: string) => {
    const s = find(id)
    if (s) act(s)
  }
  const drop = (s: Schedule) => confirm(`Delete the schedule of ${s.agentId}, ${when(s)}? What it had planned is cancelled.`) && remove.mutate(s)
  const { row } = useRows(list.map((s) => s.scheduleId), {
    Enter: { does: 'show what came of it', act: (id) => setOf(of === id ? '' : id) },
    r: { does: 'have it work now', act: with_((s) => run.mutate(s)) },
    x: { does: 'switch it on or off', act: with_((s) => turn.mutate(s)) },
    e: { does: 'edit it', act: setForm },
    D: { does: 'delete it', act: with_(drop) },
  })
  const edited = find(form)
  const cells = (s: Schedule) => [
    <Agent key="agent" name={s.agentId} />, <span key="when" title={s.cronExpr}>{when(s)}{s.cronExpr && <code className="block text-sm text-faint">{s.cronExpr}</code>}{s.message && <q className="block text-sm text-muted">{s.message.length > 80 ? `${s.message.slice(0, 79)}…` : s.message}</q>}{named(s.deliver) && <span className="block text-sm text-muted">goes to {named(s.deliver)}</span>}</span>, s.projectId ? projects.nameOf(s.projectId) : 'each active project',
    s.problem ? <span key="next" className="danger">{s.problem}</span> : s.over ? <span key="next" className="text-muted">over</span> : s.nextExecutionAt ? recent(s.nextExecutionAt) : '',
    <Last key="last" of={s} />,
    <input key="on" type="checkbox" aria-label={`${s.agentId}, ${when(s)} is on`} checked={s.enabled} disabled={turn.isPending} onChange={() => turn.mutate(s)} />,
    <span key="do" className="whitespace-nowrap">
      <button type="button" className="px-2 py-0" aria-label={`Run now: ${s.agentId}`} disabled={run.isPending} onClick={() => run.mutate(s)}>Run now</button>{' '}
      <button type="button" className="px-2 py-0" aria-label={`Edit ${s.agentId}, ${when(s)}`} onClick={() => setForm(s.scheduleId)}>Edit</button>{' '}
      <button type="button" className="px-2 py-0" aria-label={`Delete ${s.agentId}, ${when(s)}`} disabled={remove.isPending} onClick={() => drop(s)}>Delete</button>
    </span>,
  ]
  return (
    <Whole>
      <ViewHead title="Schedules" primary={{ name: 'New schedule', open: form === 'new', act: () => setForm('new') }} />
      {wrong && <p className="danger" role="alert">{wrong.message}</p>}
      {(form === 'new' || edited) && <ScheduleForm key={form} projects={projects.list} of={edited} onClose={() => setForm('')} />}
      <State pending={q.isPending} error={q.error} empty={list.length === 0} hint="No schedules. Make one: an agent gets a text at a time, such as weekdays at 9:00.">
        <Table heads={['Agent', 'When', 'For', 'Next', 'Last', 'On', '']} rows={list.map((s) => ({ key: s.scheduleId, cells: cells(s), on: row(s.scheduleId) }))} />
        <p className="text-muted"><kbd>j k</kbd> move <kbd>Enter</kbd> what came of it <kbd>r</kbd> run now <kbd>x</kbd> on or off <kbd>e</kbd> edit</p>
      </State>
      <Planned nameOf={projects.nameOf} of={of} />
      <Ended nameOf={projects.nameOf} of={of} all={list} onOf={setOf} />
    </Whole>
  )
}

function Last({ of }: { of: Schedule }) {
  const last = of.lastExecution
  if (!last) return null
  const text = <span title={last.errorMessage ?? last.responseSummary}><Status of={last.resultStatus} /></span>
  return last.runId ? <Link to="/runs/$id" params={{ id: last.runId }}>{text}</Link> : text
}
