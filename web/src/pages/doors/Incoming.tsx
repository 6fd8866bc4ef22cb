import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { api, done, must, type Schemas } from '../../api/client'
import { agentName, useAgents } from '../../lib/agents'
import { useProjects } from '../../lib/project'
import { moment } from '../../lib/when'
import { State } from '../../ui/State'
import { Table } from '../../ui/Table'

const kinds = ['github', 'gitlab', 'jira', 'linear', 'sentry', 'pagerduty', 'generic'] as const
type Kind = (typeof kinds)[number]

/** Incoming lists what systems outside may send to, with what came last, and sets one up. */
export function Incoming() {
  const queries = useQueryClient()
  const projects = useProjects().data?.items ?? []
  const agents = useAgents()
  const q = useQuery({ queryKey: ['webhook', 'incoming'], queryFn: () => must(api.GET('/api/webhooks/incoming')) })
  const [shown, setShown] = useState('')
  const heard = useQuery({ queryKey: ['webhook', 'received', shown], enabled: shown !== '', queryFn: () => must(api.GET('/api/webhooks/incoming/{name}/received', { params: { path: { name: shown }, query: { limit: 20 } } })) })
  const stale = { onSettled: () => queries.invalidateQueries({ queryKey: ['webhook'] }) }
  const set = useMutation({ mutationFn: ({ name, ...body }: Schemas['IncomingBody'] & { name: string }) => must(api.PUT('/api/webhooks/incoming/{name}', { params: { path: { name } }, body })), ...stale })
  const remove = useMutation({ mutationFn: (name: string) => done(api.DELETE('/api/webhooks/incoming/{name}', { params: { path: { name } } })), ...stale })
  const wrong = set.error ?? remove.error
  return (
    <>
      <h3>Incoming webhooks</h3>
      {wrong && <p className="danger" role="alert">{wrong.message}</p>}
      <State pending={q.isPending} error={q.error} empty={q.data?.length === 0} hint="No system outside sends here. Set one up below.">
        <Table
          heads={['Name', 'From', 'Post to', 'Asks', '']}
          rows={(q.data ?? []).map((w) => ({
            key: w.name,
            cells: [
              w.name, w.kind, `${location.origin}/webhooks/${w.name}`, w.agent ? agentName({ card: { agent_id: w.agent } }) : <span key="none" className="text-muted">nobody</span>,
              <span key="do" className="flex gap-2">
                <button type="button" className="px-2 py-0" aria-expanded={shown === w.name} onClick={() => setShown(shown === w.name ? '' : w.name)}>What came</button>
                <button type="button" className="px-2 py-0" disabled={remove.isPending} aria-label={`Remove the incoming webhook ${w.name}`} onClick={() => confirm(`Remove “${w.name}”? What is sent there is refused from then on.`) && remove.mutate(w.name)}>Remove</button>
              </span>,
            ],
          }))}
        />
      </State>
      {shown && (
        <State pending={heard.isPending} error={heard.error} empty={heard.data?.length === 0} hint="Nothing came yet.">
          <Table
            heads={['When', 'Event', 'Key', 'Title', 'State', 'By']}
            rows={(heard.data ?? []).map((r) => ({ key: `${r.seq}`, cells: [moment(r.at), r.known ? r.event : `${r.event} (not known)`, r.key, r.title, r.state, r.actor] }))}
          />
        </State>
      )}
      <SetUp busy={set.isPending} agents={(agents.data ?? []).map((a) => agentName(a))} projects={projects.map((p) => ({ id: p.id, name: p.body.name }))} onSet={(b) => set.mutate(b)} />
      {set.data && (
        <div className="card" role="status">
          <p>The sender posts to <code>{location.origin}{set.data.path}</code>.</p>
          {set.data.secret && <p className="wrap-anywhere">Its secret, shown this once: <code>{set.data.secret}</code></p>}
          <button type="button" className="px-2 py-0" onClick={() => set.reset()}>Hide it</button>
        </div>
      )}
    </>
  )
}

/** SetUp is the form of an incoming webhook. */
function SetUp(p: { busy: boolean; agents: string[]; projects: { id: string; name: string }[]; onSet: (b: Schemas['IncomingBody'] & { name: string }) => void }) {
  const [f, setF] = useState({ name: '', kind: 'github' as Kind, project: '', agent: '', say: '' })
  const set = (part: Partial<typeof f>) => setF({ ...f, ...part })
  const send = (e: FormEvent) => {
    e.preventDefault()
    p.onSet({ name: f.name.trim(), kind: f.kind, ...(f.project && { project: f.project }), ...(f.agent && { agent: f.agent }), ...(f.agent && f.say && { say: f.say }) })
  }
  return (
    <form className="row" aria-label="New incoming webhook" onSubmit={send}>
      <input aria-label="Name of the incoming webhook" placeholder="name, such as tracker" required pattern="[a-z0-9\-]+" maxLength={60} value={f.name} onChange={(e) => set({ name: e.target.value })} />
      <select aria-label="Who sends" value={f.kind} onChange={(e) => set({ kind: e.target.value as Kind })}>{kinds.map((k) => <option key={k}>{k}</option>)}</select>
      <select aria-label="Project that it is about" value={f.project} onChange={(e) => set({ project: e.target.value })}>
        <option value="">no project</option>
        {p.projects.map((x) => <option key={x.id} value={x.id}>{x.name}</option>)}
      </select>
      <select aria-label="Agent that is asked" value={f.agent} onChange={(e) => set({ agent: e.target.value })}>
        <option value="">nobody is asked</option>
        {p.agents.map((a) => <option key={a}>{a}</option>)}
      </select>
      {f.agent && <input aria-label="What the agent is told" placeholder="what the agent does with it" className="grow" maxLength={4000} value={f.say} onChange={(e) => set({ say: e.target.value })} />}
      <button type="submit" disabled={p.busy}>Set it up</button>
    </form>
  )
}
