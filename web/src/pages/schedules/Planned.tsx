import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must } from '../../api/client'
import { recent } from '../../lib/when'
import { Status } from '../../ui/Status'
import { State } from '../../ui/State'
import { Table } from '../../ui/Table'

/** Planned shows what is to come and what is running, of one schedule or of each. */
export function Planned({ nameOf, of }: { nameOf: (id?: string) => string; of: string }) {
  const queries = useQueryClient()
  const q = useQuery({ queryKey: ['schedule', 'future', of], queryFn: () => must(api.GET('/api/executions/future', { params: { query: { scheduleId: of || undefined } } })) })
  const cancel = useMutation({
    mutationFn: (id: string) => must(api.POST('/api/executions/future/{id}/cancel', { params: { path: { id } } })),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['schedule'] }),
  })
  return (
    <>
      <h3>Planned and running</h3>
      {cancel.error && <p className="danger" role="alert">{cancel.error.message}</p>}
      <State pending={q.isPending} error={q.error} empty={q.data?.length === 0} hint="Nothing is planned.">
        <Table
          heads={['Due', 'Agent', 'Project', 'State', '']}
          rows={(q.data ?? []).map((e) => ({
            key: e.executionId,
            cells: [
              recent(e.dueAt), e.agentId, nameOf(e.projectId),
              e.runId && e.execStatus === 'RUNNING' ? <Link key="run" to="/runs/$id" params={{ id: e.runId }}><Status of={e.execStatus} /></Link> : <span key="state"><Status of={e.execStatus} /> {e.reason && <span className="text-muted">{e.reason}</span>}</span>,
              e.execStatus === 'RUNNING' ? '' : <button key="cancel" type="button" className="px-2 py-0" aria-label={`Cancel ${e.agentId} for ${nameOf(e.projectId)}`} onClick={() => cancel.mutate(e.executionId)}>Cancel</button>,
            ],
          }))}
        />
      </State>
    </>
  )
}
