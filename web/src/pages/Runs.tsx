import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { api, must } from '../api/client'
import { count } from '../lib/count'
import { useAnswer } from './Approvals'
import { Question } from '../ui/Question'
import { State } from '../ui/State'
import { Table } from '../ui/Table'

/** Runs lists runs, the newest first. */
export function Runs() {
  const q = useQuery({ queryKey: ['run', 'list'], queryFn: () => must(api.GET('/api/runs')) })
  return (
    <section>
      <h2>Runs</h2>
      <State pending={q.isPending} error={q.error} empty={q.data?.length === 0} hint="Nothing has run yet.">
        <Table
          heads={['Run', 'What', 'State', 'Begun']}
          rows={(q.data ?? []).map((r) => ({
            key: r.id,
            cells: [
              <Link key="run" to="/runs/$id" params={{ id: r.id }}>{r.id.slice(-8)}</Link>, r.title,
              <span key="state" className={r.state === 'failed' ? 'bad' : ''}>{r.state}</span>, new Date(r.created_at).toLocaleString(),
            ],
          }))}
        />
      </State>
    </section>
  )
}

/** Run shows a run: why it stands where it does, its tasks, steps and cost. */
export function Run() {
  const { id } = useParams({ strict: false }) as { id: string }
  const path = { params: { path: { id } } }
  const q = useQuery({ queryKey: ['run', id], queryFn: () => must(api.GET('/api/runs/{id}', path)) })
  const act = useMutation({
    mutationFn: (what: 'cancel' | 'pause' | 'resume') => must(api.POST(`/api/runs/{id}/${what}`, path)),
    onSuccess: () => void q.refetch(),
  })
  const answer = useAnswer()
  const r = q.data
  return (
    <section>
      <h2>{r?.run.title ?? 'Run'}</h2>
      <State pending={q.isPending} error={q.error ?? act.error ?? answer.error}>
        <p>{r?.why}</p>
        <div className="row">
          {r && !['done', 'failed', 'cancelled'].includes(r.run.state) && <button type="button" onClick={() => act.mutate('cancel')}>Cancel</button>}
          {r && ['queued', 'running'].includes(r.run.state) && <button type="button" onClick={() => act.mutate('pause')}>Pause</button>}
          {r?.run.waits_for === 'resume' && <button type="button" onClick={() => act.mutate('resume')}>Resume</button>}
        </div>
        {(r?.approvals ?? []).filter((a) => a.status === 'pending').map((a) => (
          <Question key={a.id} question={a} busy={answer.isPending} onAnswer={(body) => answer.mutate({ id: a.id, body })} />
        ))}
        <p className="muted">{count(r?.spend.calls, 'model call')}, {r?.spend.input_tokens} tokens in, {r?.spend.output_tokens} out, {r?.spend.cost_usd.toFixed(4)} USD</p>
        <h3>Tasks</h3>
        {(r?.tasks ?? []).map((t) => <p key={t.id}><b>{t.agent.replace('agent:', '')}</b> {t.title} <span className="muted">{t.state}</span></p>)}
        <h3>Steps</h3>
        {(r?.steps ?? []).map((s) => (
          <details key={s.seq}><summary><code>{s.seq}</code> {s.type} <span className="muted">{s.from}</span></summary><pre>{s.text}</pre></details>
        ))}
      </State>
    </section>
  )
}
