import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api, must, type Schemas } from '../../api/client'
import { count } from '../../lib/count'
import { useKeys } from '../../lib/pane'
import { few, took, usd } from '../../lib/took'
import { recent } from '../../lib/when'
import { useWho } from '../../lib/who'
import { Cure } from '../../ui/Cure'
import { Status } from '../../ui/Status'
import { State } from '../../ui/State'
import { Asked } from '../approvals/Asked'
import { Fork } from './Fork'
import { LiveWords } from './LiveWords'
import { Others } from './Others'
import { over, pausable } from './states'
import { TraceTree } from './TraceTree'
import type { Span } from './tree'

/** Run shows what a run does and did: its tasks, calls and decisions on one axis of time, what they cost, and what it asks. */
export function Run() {
  const { id } = useParams({ strict: false }) as { id: string }
  return <Traced key={id} id={id} />
}

function Traced({ id }: { id: string }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const path = { params: { path: { id } } }
  const [fork, setFork] = useState<Span>()
  const q = useQuery({
    queryKey: ['run', 'trace', id],
    queryFn: () => must(api.GET('/api/runs/{id}/trace', path)),
    refetchInterval: (now) => (over(now.state.data?.run.state) ? false : now.state.data?.run.state === 'waiting' ? 5_000 : 1_000), // its time goes on
  })
  const act = useMutation({
    mutationFn: (what: 'cancel' | 'pause' | 'resume') => must(api.POST(`/api/runs/{id}/${what}`, path)),
    onSettled: () => queries.invalidateQueries({ queryKey: ['run'] }),
  })
  const t = q.data
  const r = t?.run
  const cancels = r !== undefined && !over(r.state)
  const pauses = pausable(r)
  const resumes = r?.waits_for === 'resume'
  useKeys([
    ...(cancels ? [{ key: 'c', does: 'cancel the run', act: () => act.mutate('cancel') }] : []),
    ...(pauses ? [{ key: 'p', does: 'pause the run', act: () => act.mutate('pause') }] : []),
    ...(resumes ? [{ key: 'p', does: 'let the run go on', act: () => act.mutate('resume') }] : []),
    { key: 'u', does: 'back to the runs', act: () => void navigate({ to: '/runs' } as never) },
  ])
  return (
    <section>
      <h2 className="flex flex-wrap items-baseline gap-x-3">{r?.title ?? 'Run'} {r && <Status of={r.state} />}</h2>
      <State pending={q.isPending} error={q.error}>
        {t && r && (
          <>
            <p className="max-w-[110ch]">{t.why} <Cure of={t.why} /></p>
            <About of={t} />
            <div className="row">
              {cancels && <button type="button" disabled={act.isPending} onClick={() => act.mutate('cancel')}>Cancel <kbd>c</kbd></button>}
              {pauses && <button type="button" disabled={act.isPending} onClick={() => act.mutate('pause')}>Pause <kbd>p</kbd></button>}
              {resumes && <button type="button" disabled={act.isPending} onClick={() => act.mutate('resume')}>Resume <kbd>p</kbd></button>}
              <Link to="/log" search={{ run: r.id } as never}>All that it recorded</Link>
              {r.kind === 'chat' && <Link to="/chat" search={{ thread: r.thread } as never}>The conversation</Link>}
            </div>
            {act.error && <p className="danger" role="alert">{act.error.message}</p>}
            {t.approvals.filter((a) => a.status === 'pending').map((a) => <Asked key={a.id} question={a} chosen />)}
            <LiveWords run={r.id} recorded={t.trace.spans.length} />
            {fork && <Fork run={r.id} from={fork} onClose={() => setFork(undefined)} />}
            <h3>Steps</h3>
            <TraceTree of={t} onFork={t.forkable ? setFork : undefined} />
            {t.cut && <p className="text-warn">The run recorded more than is shown here. <Link to="/log" search={{ run: r.id } as never}>The log has all of it.</Link></p>}
            <Others of={r} />
          </>
        )}
      </State>
    </section>
  )
}

/** About says in one line who asked, when, how long it took and what it cost, and which runs it comes from and went on as. */
function About({ of }: { of: Schemas['TraceOut'] }) {
  const who = useWho()
  const r = of.run
  const s = of.spend
  const facts: [string, string][] = [
    ['asked for by', who(r.by.agent_id)], ['started', recent(r.created_at)], ['took', took(of.trace.ms)], ['model calls', String(s.calls)],
    ['tokens', `${few(s.input_tokens)} in, ${few(s.output_tokens)} out`], ['USD', `${usd(s.cost_usd)}${s.unpriced > 0 ? `, ${count(s.unpriced, 'call')} without a known price` : ''}`],
  ]
  return (
    <>
      <p className="flex flex-wrap gap-x-5 gap-y-1">
        {facts.map(([name, value]) => <span key={name}><span className="text-muted">{name}</span> {value}</span>)}
      </p>
      {r.fork_of && <p>It goes on from step {r.fork_seq} of <Link to="/runs/$id" params={{ id: r.fork_of }}>the run {r.fork_of.slice(-8)}</Link>.</p>}
      {of.forks.length > 0 && (
        <p>
          Forks: {of.forks.map((f, i) => <span key={f.id}>{i > 0 && ', '}<Link to="/runs/$id" params={{ id: f.id }}>from step {f.fork_seq}</Link> <Status of={f.state} short /></span>)}
        </p>
      )}
    </>
  )
}
