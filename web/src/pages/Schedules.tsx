import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, done, must, type Schemas } from '../api/client'
import { useProjects } from '../lib/project'
import { State } from '../ui/State'
import { Table } from '../ui/Table'
import { NewSchedule } from './NewSchedule'

type Schedule = Schemas['ScheduleOut']

const time = (at?: string) => (at ? new Date(at).toLocaleString() : '')

/** when says in words when a schedule works. */
function when(s: Schedule): string {
  switch (s.scheduleType) {
    case 'CRON':
      return `${s.cronExpr} ${s.timezone}`
    case 'FIXED_TIMES':
      return `${(s.timesOfDay ?? []).join(', ')} ${s.timezone}`
    case 'INTERVAL':
      return `every ${s.intervalMinutes} min from midnight ${s.timezone}`
    default:
      return 'once, at once'
  }
}

/** useNames returns the projects and how to name one. */
function useNames() {
  const list = useProjects().data?.items ?? []
  return { list, nameOf: (id?: string) => list.find((p) => p.id === id)?.body.name ?? id ?? '' }
}

/** Schedules shows which agent works when; it switches them and begins them at once. */
export function Schedules() {
  const queries = useQueryClient()
  const projects = useNames()
  const q = useQuery({ queryKey: ['schedule', 'list'], queryFn: () => must(api.GET('/api/schedules')) })
  const again = { onSuccess: () => void queries.invalidateQueries({ queryKey: ['schedule'] }) }
  const turn = useMutation({
    mutationFn: (s: Schedule) => must(api.PUT('/api/schedules/{id}', { params: { path: { id: s.scheduleId } }, body: { enabled: !s.enabled } })),
    ...again,
  })
  const run = useMutation({ mutationFn: (s: Schedule) => must(api.POST('/api/executions/trigger', { body: { scheduleId: s.scheduleId } })), ...again })
  const remove = useMutation({
    mutationFn: (s: Schedule) => done(api.DELETE('/api/schedules/{id}', { params: { path: { id: s.scheduleId } } })),
    ...again,
  })
  const wrong = turn.error ?? run.error ?? remove.error
  return (
    <section>
      <h2>Schedules</h2>
      {wrong && <p className="bad" role="alert">{wrong.message}</p>}
      <State pending={q.isPending} error={q.error} empty={q.data?.length === 0} hint="No schedules. Make one below.">
        <Table
          heads={['Agent', 'When', 'For', 'Next', 'Last', 'On', '']}
          rows={(q.data ?? []).map((s) => ({
            key: s.scheduleId,
            cells: [
              s.agentId, when(s), s.projectId ? projects.nameOf(s.projectId) : 'each active project',
              s.problem ? <span key="next" className="bad">{s.problem}</span> : time(s.nextExecutionAt),
              <Last key="last" of={s} />,
              <input key="on" type="checkbox" aria-label={`${s.agentId}, ${when(s)} is on`} checked={s.enabled} disabled={turn.isPending} onChange={() => turn.mutate(s)} />,
              <span key="do">
                <button type="button" aria-label={`Run now: ${s.agentId}`} disabled={run.isPending} onClick={() => run.mutate(s)}>Run now</button>{' '}
                <button type="button" aria-label={`Delete ${s.agentId}, ${when(s)}`} disabled={remove.isPending} onClick={() => confirm(`Delete the schedule of ${s.agentId}?`) && remove.mutate(s)}>Delete</button>
              </span>,
            ],
          }))}
        />
      </State>
      <NewSchedule projects={projects.list} />
      <Executions nameOf={projects.nameOf} />
    </section>
  )
}

function Last({ of }: { of: Schedule }) {
  const last = of.lastExecution
  if (!last) return null
  const text = <span className={last.resultStatus === 'FAIL' ? 'bad' : ''} title={last.errorMessage ?? last.responseSummary}>{last.resultStatus}</span>
  return last.runId ? <Link to="/runs/$id" params={{ id: last.runId }}>{text}</Link> : text
}

/** Executions shows what is planned and running, and how the last ones ended. */
function Executions({ nameOf }: { nameOf: (id?: string) => string }) {
  const queries = useQueryClient()
  const open = useQuery({ queryKey: ['schedule', 'future'], queryFn: () => must(api.GET('/api/executions/future')) })
  const past = useQuery({ queryKey: ['schedule', 'past'], queryFn: () => must(api.GET('/api/executions/past')) })
  const cancel = useMutation({
    mutationFn: (id: string) => must(api.POST('/api/executions/future/{id}/cancel', { params: { path: { id } } })),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['schedule'] }),
  })
  return (
    <>
      <h3>Planned and running</h3>
      {cancel.error && <p className="bad" role="alert">{cancel.error.message}</p>}
      <State pending={open.isPending} error={open.error} empty={open.data?.length === 0} hint="Nothing is planned.">
        <Table
          heads={['Due', 'Agent', 'Project', 'State', '']}
          rows={(open.data ?? []).map((e) => ({
            key: e.executionId,
            cells: [
              time(e.dueAt), e.agentId, nameOf(e.projectId),
              e.execStatus === 'RUNNING' && e.runId ? <Link key="run" to="/runs/$id" params={{ id: e.runId }}>{e.execStatus}</Link> : e.execStatus,
              e.execStatus === 'RUNNING' ? '' : <button key="cancel" type="button" aria-label={`Cancel ${e.agentId} for ${nameOf(e.projectId)}`} onClick={() => cancel.mutate(e.executionId)}>Cancel</button>,
            ],
          }))}
        />
      </State>
      <h3>Ended</h3>
      <State pending={past.isPending} error={past.error} empty={past.data?.content?.length === 0} hint="Nothing has worked by the clock yet.">
        <Table
          heads={['Ended', 'Agent', 'Project', 'Result', 'What came of it', 'Run']}
          rows={(past.data?.content ?? []).map((e) => ({
            key: e.pastExecutionId,
            cells: [
              time(e.endedAt), e.agentId, nameOf(e.projectId), <span key="result" className={e.resultStatus === 'FAIL' ? 'bad' : ''}>{e.resultStatus}</span>,
              e.errorMessage || e.responseSummary || '', e.runId ? <Link key="run" to="/runs/$id" params={{ id: e.runId }}>{e.runId.slice(-8)}</Link> : '',
            ],
          }))}
        />
      </State>
    </>
  )
}
