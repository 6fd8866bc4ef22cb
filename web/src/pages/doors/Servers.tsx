import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { api, done, must, type Schemas } from '../../api/client'
import { useAgents } from '../../lib/agents'
import { useMay } from '../../lib/me'
import { moment } from '../../lib/when'
import { Diff } from '../../ui/Diff'
import { State } from '../../ui/State'
import { Table } from '../../ui/Table'

type Server = Schemas['McpState']
type Entry = Schemas['McpServer']

/** offered counts the tools that agents may be given: accepted as they were last seen. */
const offered = (s: Server) => (s.disabled ? 0 : (s.seen.tools ?? []).filter((t) => s.accepted?.some((a) => a.name === t.name && a.digest === t.digest)).length)

/** how says how a server is doing, and what is to be done. */
function how(s: Server) {
  if (s.disabled) return 'disabled'
  if (s.login) return <span className="text-warn">{s.problem || 'It asks for a login.'}</span>
  if (s.problem) return <span className="danger">{s.problem}{s.retryAt && ` It is tried again ${moment(s.retryAt)}.`}</span>
  if (!s.seen.digest) return <span className="text-warn">Nobody has looked at its tools.</span>
  if (s.changes?.length) return <span className="text-warn">{s.changes.length === 1 ? '1 tool waits' : `${s.changes.length} tools wait`} for an owner</span>
  return s.connected ? 'connected' : 'ready'
}

/** Servers lists the MCP servers whose tools agents use, how they are doing, and what of their tools is not accepted. */
export function Servers() {
  const queries = useQueryClient()
  const owner = useMay('owner')
  const q = useQuery({ queryKey: ['mcp'], queryFn: () => must(api.GET('/api/mcp/servers')) })
  const stale = { onSettled: () => queries.invalidateQueries({ queryKey: ['mcp'] }) }
  const at = (name: string) => ({ params: { path: { name } } })
  const look = useMutation({ mutationFn: (name: string) => must(api.POST('/api/mcp/servers/{name}/inspect', at(name))), ...stale })
  const accept = useMutation({ mutationFn: (s: Server) => must(api.POST('/api/mcp/servers/{name}/accept', { ...at(s.name), body: { digest: s.seen.digest } })), ...stale })
  const login = useMutation({ mutationFn: (name: string) => must(api.POST('/api/mcp/servers/{name}/login', at(name))), onSuccess: (there) => location.assign(there.url), ...stale })
  const share = useMutation({ mutationFn: (s: Server) => must(s.share ? api.DELETE('/api/mcp/servers/{name}/share', at(s.name)) : api.PUT('/api/mcp/servers/{name}/share', { ...at(s.name), body: {} })), ...stale })
  const agents = useAgents()
  const asAgent = (s: Server) => (agents.data ?? []).find((a) => a.server === s.name)?.card.agent_id.replace('agent:', '')
  const register = useMutation({ mutationFn: (name: string) => must(api.POST('/api/mcp/servers/{name}/register', { ...at(name), body: {} })), onSettled: () => queries.invalidateQueries({ queryKey: ['agent'] }) })
  const remove = useMutation({ mutationFn: (name: string) => done(api.DELETE('/api/mcp/servers/{name}', at(name))), ...stale })
  const add = useMutation({
    mutationFn: async (body: Entry) => {
      await must(api.POST('/api/mcp/servers', { body }))
      return must(api.POST('/api/mcp/servers/{name}/inspect', at(body.name)))
    },
    ...stale,
  })
  const wrong = look.error ?? login.error ?? accept.error ?? register.error ?? share.error ?? remove.error ?? add.error
  const waiting = (q.data ?? []).filter((s) => !s.disabled && s.changes?.length)
  return (
    <>
      <h3>MCP servers</h3>
      {wrong && <p className="danger" role="alert">{wrong.message}</p>}
      <State pending={q.isPending} error={q.error} empty={q.data?.length === 0} hint="Agents use the tools of no other server. An owner adds one below.">
        <Table
          heads={['Name', 'Server', 'Tools', 'State', '']}
          rows={(q.data ?? []).map((s) => ({
            key: s.name,
            cells: [
              s.name, <span key="at" className="wrap-anywhere">{s.worker ? 'fetches its tasks' : s.url || (s.command ?? []).join(' ')}{s.share && <>, shared at <code>/mcp/servers/{s.name}</code></>}{s.elicitation && ', may put forms to people'}{asAgent(s) && `, given work as the agent ${asAgent(s)}`}</span>, `${offered(s)} of ${s.seen.tools?.length ?? 0}`, <span key="how">{how(s)}</span>,
              <span key="do" className="flex gap-2">
                <button type="button" className="px-2 py-0" disabled={look.isPending} aria-label={`Look at the tools of ${s.name}`} onClick={() => look.mutate(s.name)}>Look</button>
                {owner && s.login && <button type="button" className="px-2 py-0 whitespace-nowrap" disabled={login.isPending} aria-label={`Log in to ${s.name}`} onClick={() => login.mutate(s.name)}>Log in</button>}
                {owner && (s.a2a || s.worker) && offered(s) > 0 && !asAgent(s) && <button type="button" className="px-2 py-0 whitespace-nowrap" disabled={register.isPending} aria-label={`Register ${s.name} as an agent`} onClick={() => register.mutate(s.name)}>Register</button>}
                {owner && !s.a2a && !s.worker && <button type="button" className="px-2 py-0 whitespace-nowrap" disabled={share.isPending} aria-label={`${s.share ? 'End the sharing of' : 'Share'} ${s.name}`} onClick={() => (s.share || confirm(`Share the accepted tools of “${s.name}” with programs that have a key?`)) && share.mutate(s)}>{s.share ? 'End sharing' : 'Share'}</button>}
                {owner && <button type="button" className="px-2 py-0" disabled={remove.isPending} aria-label={`Remove the server ${s.name}`} onClick={() => confirm(`Remove the server “${s.name}”? No agent has its tools any more.`) && remove.mutate(s.name)}>Remove</button>}
              </span>,
            ],
          }))}
        />
      </State>
      {waiting.map((s) => (
        <div key={s.name} className="card">
          <h4>What {s.name} offers and nobody has accepted</h4>
          <p>These are the server’s own words. No agent is given them until an owner accepts them.</p>
          {(s.changes ?? []).map((c) => (
            <details key={c.name} open={c.what === 'changed'}>
              <summary>{c.name} is {c.what}</summary>
              <Diff text={c.diff} of={`${s.name} ${c.name}`} />
            </details>
          ))}
          {owner ? <button type="button" disabled={accept.isPending} onClick={() => accept.mutate(s)}>Accept the tools of {s.name}</button> : <p>An owner can accept them.</p>}
        </div>
      ))}
      {owner && <Add busy={add.isPending} onAdd={(s) => add.mutate(s)} />}
    </>
  )
}

/** Add is the form of a new server: an address, or a program with its arguments. */
function Add(p: { busy: boolean; onAdd: (s: Entry) => void }) {
  const [f, setF] = useState({ name: '', at: '', header: '', secret: '', inside: false, a2a: false, elicitation: false })
  const send = (e: FormEvent) => {
    e.preventDefault()
    const at = f.at.trim()
    const reached = /^https?:/.test(at) ? { url: at, inside: f.inside, ...(f.a2a ? { a2a: true, seconds: 300 } : {}) } : { command: at.split(/\s+/), network: f.inside }
    const asA2A = f.a2a && /^https?:/.test(at)
    const secrets = f.header.trim() && f.secret.trim() ? { [f.header.trim()]: f.secret.trim() } : undefined
    p.onAdd({ name: f.name.trim(), ...reached, secrets, ...(f.elicitation && !asA2A ? { elicitation: true, seconds: 600 } : {}) })
  }
  const address = /^https?:/.test(f.at.trim())
  return (
    <form className="row" aria-label="New MCP server" onSubmit={send}>
      <input aria-label="Name of the server" placeholder="hub" required pattern="[a-z][a-z0-9]{0,15}" title="1 to 16 of a to z and 0 to 9, a letter first" value={f.name} onChange={(e) => setF({ ...f, name: e.target.value })} />
      <input aria-label="Address or program of the server" placeholder="https://hub.example/mcp, or a program and its arguments" required className="grow" value={f.at} onChange={(e) => setF({ ...f, at: e.target.value })} />
      <input aria-label="Header or variable of a secret" placeholder="Authorization" value={f.header} onChange={(e) => setF({ ...f, header: e.target.value })} />
      <input aria-label="Name of the secret in the vault" placeholder="HUB_TOKEN" value={f.secret} onChange={(e) => setF({ ...f, secret: e.target.value })} />
      <label className="flex items-center gap-2"><input type="checkbox" checked={f.inside} onChange={(e) => setF({ ...f, inside: e.target.checked })} /> {address ? 'its address is inside' : 'it may call out'}</label>
      {address && <label className="flex items-center gap-2"><input type="checkbox" checked={f.a2a} onChange={(e) => setF({ ...f, a2a: e.target.checked })} /> it is an agent that speaks A2A</label>}
      {!(address && f.a2a) && <label className="flex items-center gap-2"><input type="checkbox" checked={f.elicitation} onChange={(e) => setF({ ...f, elicitation: e.target.checked })} /> it may put forms to people</label>}
      <button type="submit" disabled={p.busy}>Add a server</button>
    </form>
  )
}
