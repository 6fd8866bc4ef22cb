import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { api, must, type Schemas } from '../../api/client'
import { agentName, useAgents } from '../../lib/agents'
import { useKeys, usePane } from '../../lib/pane'
import { useProjects, useWord } from '../../lib/project'
import { useRows } from '../../lib/rows'
import { few, took, usd } from '../../lib/took'
import { recent } from '../../lib/when'
import { useWho } from '../../lib/who'
import { Agent } from '../../ui/Agent'
import { LongTable } from '../../ui/LongTable'
import { Options } from '../../ui/Options'
import { Status } from '../../ui/Status'
import { State } from '../../ui/State'
import { over, states } from './states'

type RunRow = Schemas['RunRow']

/** page is how many runs are asked for at once. */
const page = 100

/** kinds are what runs do, in words. */
const kinds: { [kind: string]: string } = { chat: 'conversation', intake: 'intake' }

/** useRuns are the runs that fit, the newest first, more as one asks. Those that are not over are looked at again and again, since their time goes on. */
function useRuns(state: string, kind: string, agent: string, project: string) {
  return useInfiniteQuery({
    queryKey: ['run', 'list', state, kind, agent, project],
    initialPageParam: 0,
    queryFn: async ({ pageParam }) =>
      (await must(api.GET('/api/runs', { params: { query: { state: (state || undefined) as 'done' | undefined, kind: kind || undefined, agent: agent || undefined, project: project || undefined, before: pageParam || undefined, limit: page } } }))) ?? [],
    getNextPageParam: (last) => (last.length === page ? last.at(-1)?.seq : undefined),
    placeholderData: keepPreviousData,
    refetchInterval: (q) => (q.state.data?.pages.some((p) => p.some((r) => r.state === 'running')) ? 2_000 : false),
  })
}

/** Runs lists what agents and intakes did and do, narrowed by state, kind, agent and project. */
export function Runs() {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const who = useWho()
  const [state, setState] = useWord('status')
  const [kind, setKind] = useWord('type')
  const [agent, setAgent] = useWord('agent')
  const [scope, setScope] = useWord('scope')
  const projects = useProjects().data?.items ?? []
  const agents = useAgents()
  const q = useRuns(state, kind, agent, scope)
  const rows = q.data?.pages.flat() ?? []
  const byId = (id: string) => rows.find((r) => r.id === id)
  const act = useMutation({
    mutationFn: (a: { id: string; what: 'cancel' | 'pause' | 'resume' }) => must(api.POST(`/api/runs/{id}/${a.what}`, { params: { path: { id: a.id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['run'] }),
  })
  const { pick } = usePane()
  const { row } = useRows(rows.map((r) => r.id), {
    Enter: { does: 'open the run', act: (id) => void navigate({ to: '/runs/$id', params: { id } } as never) },
    c: { does: 'cancel it', act: (id) => !over(byId(id)?.state) && act.mutate({ id, what: 'cancel' }) },
    p: { does: 'pause it, or let it go on', act: (id) => act.mutate({ id, what: byId(id)?.waits_for === 'resume' ? 'resume' : 'pause' }) },
  })
  const place = (id: string) => {
    const { onFocus, ...rest } = row(id)
    return { ...rest, onFocus: (e: React.FocusEvent<HTMLElement>) => { onFocus?.(e); pick({ kind: 'run', id }) } }
  }
  useKeys([{ key: 's', does: 'the next state', act: () => setState(['', ...states][(['', ...states].indexOf(state) + 1) % (states.length + 1)] ?? '') }])
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = q
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  const narrowed = state !== '' || kind !== '' || agent !== '' || scope !== ''
  const cells = (i: number) => {
    const r = rows[i]
    if (!r) return []
    return [
      <Status key="state" of={r.state} />,
      <Link key="run" to="/runs/$id" params={{ id: r.id }} title={r.title}>{r.title}</Link>,
      kinds[r.kind] ?? r.kind, <Agent key="agent" name={r.agent} />, who(r.by.agent_id), recent(r.created_at),
      <Digits key="took" of={took(r.ms)} />, ...spent(r),
    ]
  }
  return (
    <section>
      <h2>Runs</h2>
      <div className="row">
        <select aria-label="State" value={state} onChange={(e) => setState(e.target.value)}>
          <option value="">any state</option>
          <Options of={states} />
        </select>
        <select aria-label="Kind" value={kind} onChange={(e) => setKind(e.target.value)}>
          <option value="">any kind</option>
          {Object.entries(kinds).map(([k, name]) => <option key={k} value={k}>{name}</option>)}
        </select>
        <select aria-label="Agent" value={agent} onChange={(e) => setAgent(e.target.value)}>
          <option value="">any agent</option>
          {(agents.data ?? []).map((a) => <option key={a.card.agent_id}>{agentName(a)}</option>)}
        </select>
        <select aria-label="Of the project" value={scope} onChange={(e) => setScope(e.target.value)}>
          <option value="">any project</option>
          {projects.map((p) => <option key={p.id} value={p.id}>{p.body.name}</option>)}
        </select>
      </div>
      {act.error && <p className="danger" role="alert">{act.error.message}</p>}
      <State pending={q.isPending} error={q.error} empty={rows.length === 0} hint={narrowed ? 'No run fits. Choose another state, kind or agent above.' : 'Nothing has run yet. Paste minutes on Intake, or say something to the agents.'}>
        <LongTable
          heads={[{ name: 'State' }, { name: 'What', width: 'rest' }, { name: 'Kind', from: 64 }, { name: 'Agent', from: 52 }, { name: 'By', from: 80 }, { name: 'Started' }, { name: 'Took', from: 40 }, { name: 'Calls', from: 64 }, { name: 'Tokens', from: 64 }, { name: 'USD', from: 52 }]}
          count={rows.length} rowKey={(i) => rows[i]?.id ?? ''} row={cells} place={place} onEnd={more}
        />
      </State>
    </section>
  )
}

/** spent is what a run took of models; nothing when it asked none. */
function spent(r: RunRow) {
  if (r.spend.calls === 0) return ['', '', '']
  return [
    <Digits key="calls" of={String(r.spend.calls)} />, <Digits key="tokens" of={few(r.spend.input_tokens + r.spend.output_tokens)} />,
    <Digits key="usd" of={r.spend.unpriced === 0 ? usd(r.spend.cost_usd) : r.spend.cost_usd === 0 ? '?' : `${usd(r.spend.cost_usd)} +?`} />,
  ]
}

function Digits({ of }: { of: string }) {
  return <span className="whitespace-nowrap tabular-nums">{of}</span>
}
