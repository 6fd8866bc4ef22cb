import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { api, must, type Schemas } from '../../api/client'
import { useAgents } from '../../lib/agents'
import { useMay } from '../../lib/me'
import { moment } from '../../lib/when'
import { State } from '../../ui/State'
import { Table } from '../../ui/Table'

/** hire makes a member of an agent that fetches its tasks, and the key with which it does. */
async function hire(name: string, worker: Schemas['WorkerAbout']) {
  const at = { params: { path: { name } } }
  await must(api.POST('/api/mcp/servers', { body: { name, worker } }))
  const seen = await must(api.POST('/api/mcp/servers/{name}/inspect', at))
  await must(api.POST('/api/mcp/servers/{name}/accept', { ...at, body: { digest: seen.seen.digest } }))
  await must(api.POST('/api/mcp/servers/{name}/register', { ...at, body: {} }))
  return must(api.POST('/api/keys', { body: { name: `tasks of ${name}`, agent: name } }))
}

/** Workers lists the agents elsewhere that fetch their tasks, with when each did last, and makes one. */
export function Workers() {
  const queries = useQueryClient()
  const owner = useMay('owner')
  const servers = useQuery({ queryKey: ['mcp'], queryFn: () => must(api.GET('/api/mcp/servers')) })
  const keys = useQuery({ queryKey: ['person', 'keys'], queryFn: () => must(api.GET('/api/keys')) })
  const agents = useAgents()
  const make = useMutation({
    mutationFn: (b: { name: string; does: string; skills: string[] }) => {
      const taken = (servers.data ?? []).some((s) => s.name === b.name) || (agents.data ?? []).some((a) => a.card.agent_id === `agent:${b.name}` && !a.card.endpoints)
      if (taken) throw new Error(`The name ${b.name} is taken by an agent or a server. Give this one another name.`)
      return hire(b.name, { does: b.does, skills: b.skills })
    },
    onSettled: () => Promise.all(['mcp', 'person', 'agent'].map((key) => queries.invalidateQueries({ queryKey: [key] }))),
  })
  const all = (servers.data ?? []).filter((s) => s.worker)
  const used = (name: string) => (keys.data ?? []).filter((k) => k.agent === `agent:${name}`).map((k) => k.usedAt ?? '').toSorted().at(-1)
  return (
    <>
      <h3>Agents that fetch their work</h3>
      {make.error && <p className="danger" role="alert">{make.error.message}</p>}
      <State pending={servers.isPending} error={servers.error} empty={all.length === 0} hint="None. One that you add works where it is, on a laptop or a build machine: a program gets each task there, and what it writes is the answer.">
        <Table
          heads={['Name', 'Does', 'Skills', 'Fetched last']}
          rows={all.map((s) => ({
            key: s.name,
            cells: [
              s.name,
              <span key="does" className="wrap-anywhere">{s.worker?.does}</span>,
              (s.worker?.skills ?? []).join(', '),
              used(s.name) ? moment(used(s.name) ?? '') : <span key="never" className="text-warn">never</span>,
            ],
          }))}
        />
      </State>
      {owner && <Hire busy={make.isPending} onHire={(b) => make.mutate(b)} />}
      {make.data && (
        <div className="card" role="status">
          <p>{make.variables.name} is a member. Its key is shown this once. Where it works, run:</p>
          <pre className="wrap-anywhere whitespace-pre-wrap" data-testid="worker-key">CHELA_URL={location.origin} CHELA_TOKEN={make.data.token} chela agent work {make.variables.name} -- PROGRAM</pre>
          <button type="button" className="px-2 py-0" onClick={() => make.reset()}>Hide it</button>
        </div>
      )}
    </>
  )
}

/** Hire is the form of a new agent that fetches its work. */
function Hire(p: { busy: boolean; onHire: (b: { name: string; does: string; skills: string[] }) => void }) {
  const [f, setF] = useState({ name: '', does: '', skills: '' })
  const set = (part: Partial<typeof f>) => setF({ ...f, ...part })
  const send = (e: FormEvent) => {
    e.preventDefault()
    p.onHire({ name: f.name.trim(), does: f.does.trim(), skills: f.skills.split(/[\s,]+/).filter(Boolean) })
  }
  return (
    <form className="row" aria-label="New agent that fetches its work" onSubmit={send}>
      <input aria-label="Name of the agent" placeholder="deployer" required pattern="[a-z][a-z0-9]{0,15}" title="1 to 16 of a to z and 0 to 9, a letter first" value={f.name} onChange={(e) => set({ name: e.target.value })} />
      <input aria-label="What it does" placeholder="Deploys builds to staging." required maxLength={300} className="grow" value={f.does} onChange={(e) => set({ does: e.target.value })} />
      <input aria-label="Its skills" placeholder="deploy, code_review" pattern="[a-z0-9_, \-]*" title="of a to z, 0 to 9, _ and -, with commas between" value={f.skills} onChange={(e) => set({ skills: e.target.value })} />
      <button type="submit" disabled={p.busy}>Add an agent</button>
    </form>
  )
}
