import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, must, type Schemas } from '../../api/client'
import { count } from '../../lib/count'
import { useMay } from '../../lib/me'
import { recent } from '../../lib/when'
import { Failed } from '../../ui/State'
import { Status } from '../../ui/Status'
import { Table } from '../../ui/Table'

type Plan = Schemas['BuildPlanOut']
type Act = 'execute' | 'drop' | 'undo' | 'deploy'

/** acts are what can become of a plan, by how it stands. */
const acts: { [state: string]: [Act, string][] } = {
  pending: [['execute', 'Build it'], ['drop', 'Drop']], executing: [['execute', 'Go on']], failed: [['execute', 'Go on'], ['undo', 'Undo']], completed: [['deploy', 'Deploy'], ['undo', 'Undo']],
}

/** usePlans are the plans by which workflows are built from sentences. */
export const usePlans = () => useQuery({ queryKey: ['workflow', 'plans'], queryFn: () => must(api.GET('/api/workflows/plans')) })

/** Plans are the plans by which workflows are built from sentences: their steps, what came of them, and what can become of them. */
export function Plans() {
  const queries = useQueryClient()
  const may = useMay('editor')
  const [open, setOpen] = useState('')
  const q = usePlans()
  const act = useMutation({
    mutationFn: ({ plan, does }: { plan: string; does: Act }) => must(api.POST(`/api/workflows/plans/{id}/${does}` as '/api/workflows/plans/{id}/execute', { params: { path: { id: plan } } })),
    onSettled: () => Promise.all([queries.invalidateQueries({ queryKey: ['workflow'] }), queries.invalidateQueries({ queryKey: ['draft'] })]),
  })
  const all = q.data ?? []
  if (all.length === 0) return <Failed of={q.error} />
  return (
    <section aria-label="Plans">
      <h3>Plans</h3>
      <Failed of={act.error ?? q.error} />
      <Table
        heads={['Plan', 'Workflow', 'State', 'When', '']}
        rows={all.flatMap((p) => [
          {
            key: p.id,
            cells: [
              <button key="open" type="button" className="plain text-left text-link!" aria-expanded={open === p.id} onClick={() => setOpen(open === p.id ? '' : p.id)}>{p.metadata.name} <span className="text-muted">{count(p.steps.length, 'step')}</span></button>,
              <Link key="workflow" to="/workflows/$id" params={{ id: p.workflow }}>{p.workflow}</Link>, <Status key="state" of={p.state} />, recent(p.at),
              may && <span key="acts" className="flex flex-wrap gap-2">{(acts[p.state] ?? []).map(([does, word]) => <button key={does} type="button" className="px-2 py-0" aria-label={`${word}: ${p.metadata.name}`} disabled={act.isPending} onClick={() => act.mutate({ plan: p.id, does })}>{word}</button>)}</span>,
            ],
          },
          ...(open === p.id ? [{ key: `${p.id} steps`, cells: { whole: <Steps of={p} /> } }] : []),
        ])}
      />
    </section>
  )
}

/** Steps are what a plan does, in order, with what came of each. */
function Steps({ of: p }: { of: Plan }) {
  const came = new Map(p.stepResults.map((r) => [r.stepId, r]))
  return (
    <>
      <p className="m-0! text-muted">“{p.context.userIntent}” {p.threadId && <Link to="/chat" search={{ thread: p.threadId } as never}>the conversation</Link>}</p>
      <ol className="my-1!">
        {p.steps.map((s) => {
          const r = came.get(s.id)
          return (
            <li key={s.id}>
              <span data-sign={r === undefined ? '○' : r.success ? '✓' : r.skipped ? '·' : '✗'} className={r === undefined || r.skipped ? 'text-muted' : r.success ? 'text-up' : 'text-danger'}>{s.name || s.id}</span>{' '}
              <code className="text-sm text-muted">{s.action}</code> {r?.nodeId && <code className="text-sm">{r.nodeId}</code>} {r?.error && <span className="text-sm text-danger">{r.error}</span>}
            </li>
          )
        })}
      </ol>
      {[...(p.unread ?? []).map((u) => `Not understood: ${u}`), ...(p.findings ?? [])].map((f) => <p key={f} className="m-0! text-sm text-warn">{f}</p>)}
    </>
  )
}
