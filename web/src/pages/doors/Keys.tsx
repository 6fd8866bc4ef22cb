import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { api, must, type Schemas } from '../../api/client'
import { type Role, roles, useMe } from '../../lib/me'
import { useProjects } from '../../lib/project'
import { moment } from '../../lib/when'
import { usePersons } from '../../lib/who'
import { State } from '../../ui/State'
import { Table } from '../../ui/Table'

type Key = Schemas['OrgKey']

/** bounds says what a key may do. */
function bounds(k: Key, project: (id: string) => string): string {
  if (k.agent) return `only fetches the tasks of ${k.agent.replace('agent:', '')}`
  const out = [k.role as string]
  if (k.project) out.push(`only ${project(k.project)}`)
  if (k.tools?.length) out.push(`only the tools ${k.tools.join(', ')}`)
  if (k.perMinute) out.push(`${k.perMinute} requests in a minute`)
  return out.join('; ')
}

/** Keys lists the keys of programs with what each used of models in 30 days and when it was last used, makes one and revokes it. */
export function Keys() {
  const queries = useQueryClient()
  const me = useMe()
  const persons = usePersons().data ?? []
  const projects = useProjects().data?.items ?? []
  const q = useQuery({ queryKey: ['person', 'keys'], queryFn: () => must(api.GET('/api/keys')) })
  const used = useQuery({ queryKey: ['run', 'usage', 'key'], queryFn: () => must(api.GET('/api/usage', { params: { query: { by: ['key'] } } })) })
  const stale = { onSettled: () => queries.invalidateQueries({ queryKey: ['person'] }) }
  const make = useMutation({ mutationFn: (body: Schemas['KeyBody']) => must(api.POST('/api/keys', { body })), ...stale })
  const revoke = useMutation({ mutationFn: (k: Key) => must(api.DELETE('/api/tokens/{id}', { params: { path: { id: k.id } } })), ...stale })
  const wrong = make.error ?? revoke.error
  const project = (id: string) => projects.find((p) => p.id === id)?.body.name ?? id
  const usage = (k: Key) => used.data?.find((u) => u.key === k.id)
  return (
    <>
      <h3>Keys of programs</h3>
      {wrong && <p className="danger" role="alert">{wrong.message}</p>}
      <State pending={q.isPending} error={q.error} empty={q.data?.length === 0} hint="No program has a key. Make one below.">
        <Table
          heads={['For', 'Acts for', 'May', 'Until', 'Models used in 30 days', 'Last used', '']}
          rows={(q.data ?? []).map((k) => ({
            key: k.id,
            cells: [
              k.name,
              persons.find((p) => p.id === k.person)?.name ?? k.person,
              bounds(k, project),
              k.expiresAt ? moment(k.expiresAt) : <span key="until" className="text-muted">no end</span>,
              usage(k) ? `${usage(k)?.calls} calls, $${usage(k)?.cost_usd.toFixed(2)}` : <span key="used" className="text-muted">none</span>,
              k.usedAt ? moment(k.usedAt) : <span key="last" className="text-muted">never</span>,
              <button
                key="do" type="button" className="px-2 py-0" disabled={revoke.isPending} aria-label={`Revoke the key ${k.name}`}
                onClick={() => confirm(`Revoke the key “${k.name}”? The program is shut out at once, and what it began ends.`) && revoke.mutate(k)}
              >
                Revoke
              </button>,
            ],
          }))}
        />
      </State>
      <Make busy={make.isPending} mine={me?.role} projects={projects.map((p) => ({ id: p.id, name: p.body.name }))} onMake={(b) => make.mutate(b)} />
      {make.data && (
        <div className="card" role="status">
          <p>The token of “{make.data.key.name}”. It is shown this once:</p>
          <p className="wrap-anywhere"><code data-testid="key-token">{make.data.token}</code></p>
          <button type="button" className="px-2 py-0" onClick={() => make.reset()}>Hide it</button>
        </div>
      )}
    </>
  )
}

/** Make is the form of a new key. */
function Make(p: { busy: boolean; mine: string | undefined; projects: { id: string; name: string }[]; onMake: (b: Schemas['KeyBody']) => void }) {
  const mine = roles.filter((r) => roles.indexOf(r) <= roles.indexOf(p.mine as Role))
  const [f, setF] = useState({ name: '', role: 'viewer' as Role, project: '', tools: '', days: '90', usd: '' })
  const set = (part: Partial<typeof f>) => setF({ ...f, ...part })
  const send = (e: FormEvent) => {
    e.preventDefault()
    const tools = f.tools.split(/[\s,]+/).filter(Boolean)
    p.onMake({
      name: f.name.trim(), role: f.role,
      ...(f.project && { project: f.project }),
      ...(tools.length > 0 && { tools }),
      ...(f.days && { expiresAt: new Date(Date.now() + Number(f.days) * 864e5).toISOString() }),
      ...(f.usd && { budget: { usd: Number(f.usd) } }),
    })
    set({ name: '' })
  }
  return (
    <form className="row" aria-label="New key" onSubmit={send}>
      <input id="new-key" aria-label="What the key is for" placeholder="What the key is for" required maxLength={100} value={f.name} onChange={(e) => set({ name: e.target.value })} />
      <select aria-label="Role of the key" value={f.role} onChange={(e) => set({ role: e.target.value as Role })}>
        {mine.map((r) => <option key={r}>{r}</option>)}
      </select>
      <select aria-label="Project of the key" value={f.project} onChange={(e) => set({ project: e.target.value })}>
        <option value="">all projects</option>
        {p.projects.map((x) => <option key={x.id} value={x.id}>{x.name}</option>)}
      </select>
      <input aria-label="Only these tools" placeholder="all tools" value={f.tools} onChange={(e) => set({ tools: e.target.value })} />
      <label className="flex items-center gap-1">
        <input aria-label="Days until it ends" type="number" min={1} placeholder="no end" className="w-24" value={f.days} onChange={(e) => set({ days: e.target.value })} /> days
      </label>
      <label className="flex items-center gap-1">
        <input aria-label="USD that it may spend" type="number" min={0} step="any" placeholder="no limit" className="w-28" value={f.usd} onChange={(e) => set({ usd: e.target.value })} /> USD
      </label>
      <button type="submit" disabled={p.busy || f.name.trim() === ''}>Make a key</button>
    </form>
  )
}
