import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { api, done, must, type Schemas } from '../../api/client'
import { useMay } from '../../lib/me'
import { useProjects } from '../../lib/project'
import { moment } from '../../lib/when'
import { State } from '../../ui/State'
import { Table } from '../../ui/Table'

type Tracker = Schemas['TrackerState']
const kinds = ['github', 'jira', 'gitlab', 'linear'] as const
type Kind = (typeof kinds)[number]
const scopes: Record<Kind, string> = { github: 'acme/web', jira: 'PAY', gitlab: 'acme/web', linear: 'ENG' }

/** how says how a tracker is doing. */
function how(t: Tracker) {
  if (t.problem) return <span className="danger">{t.problem} It failed {t.failures === 1 ? 'once' : `${t.failures} times`}.</span>
  if (!t.syncedAt) return 'not read yet'
  return `read ${moment(t.syncedAt)}${t.off ? ', when asked' : ''}`
}

/** brought says what the last sync with something new brought. */
const brought = (t: Tracker) => (t.last ? `${t.last.created?.ticket ?? 0} new, ${t.last.changed?.ticket ?? 0} changed` : '')

/** Trackers lists the trackers that are read live, how they are doing, and sets one up. */
export function Trackers() {
  const queries = useQueryClient()
  const admin = useMay('admin')
  const projects = useProjects().data?.items ?? []
  const q = useQuery({ queryKey: ['tracker'], queryFn: () => must(api.GET('/api/trackers')) })
  const stale = { onSettled: () => queries.invalidateQueries({ queryKey: ['tracker'] }) }
  const at = (name: string) => ({ params: { path: { name } } })
  const set = useMutation({ mutationFn: ({ name, ...body }: Schemas['TrackerBody'] & { name: string }) => must(api.PUT('/api/trackers/{name}', { ...at(name), body })), ...stale })
  const sync = useMutation({ mutationFn: (name: string) => must(api.POST('/api/trackers/{name}/sync', { ...at(name), body: {} })), ...stale })
  const remove = useMutation({ mutationFn: (name: string) => done(api.DELETE('/api/trackers/{name}', at(name))), ...stale })
  const wrong = set.error ?? sync.error ?? remove.error
  return (
    <>
      <h3>Trackers</h3>
      {wrong && <p className="danger" role="alert">{wrong.message}</p>}
      <State pending={q.isPending} error={q.error} empty={q.data?.length === 0} hint="No tracker is read live. An admin adds one below; an export is imported as a file.">
        <Table
          heads={['Name', 'Tracker', 'Project', 'State', 'Last news', '']}
          rows={(q.data ?? []).map((t) => ({
            key: t.name,
            cells: [
              t.name, <span key="at" className="wrap-anywhere">{t.scope}, {t.address}</span>, projects.find((p) => p.id === t.projectId)?.body.name ?? t.projectId, how(t), brought(t),
              <span key="do" className="flex gap-2">
                <button type="button" className="px-2 py-0" disabled={sync.isPending} aria-label={`Read the tracker ${t.name} now`} onClick={() => sync.mutate(t.name)}>Read now</button>
                {admin && <button type="button" className="px-2 py-0" disabled={remove.isPending} aria-label={`Remove the tracker ${t.name}`} onClick={() => confirm(`Read “${t.name}” no more? Its tickets stay.`) && remove.mutate(t.name)}>Remove</button>}
              </span>,
            ],
          }))}
        />
      </State>
      {admin && projects.length === 0 && <p className="text-muted">A tracker fills a project. Begin one first.</p>}
      {admin && projects.length > 0 && <Add busy={set.isPending} projects={projects.map((p) => ({ id: p.id, name: p.body.name }))} onAdd={(b) => set.mutate(b)} />}
    </>
  )
}

/** Add is the form of a new tracker. */
function Add(p: { busy: boolean; projects: { id: string; name: string }[]; onAdd: (b: Schemas['TrackerBody'] & { name: string }) => void }) {
  const [f, setF] = useState({ name: '', kind: 'github' as Kind, scope: '', address: '', secret: '', project: '' })
  const project = f.project || (p.projects[0]?.id ?? '')
  const send = (e: FormEvent) => {
    e.preventDefault()
    p.onAdd({
      name: f.name.trim(), kind: f.kind, scope: f.scope.trim(), projectId: project,
      ...(f.address.trim() && { address: f.address.trim() }), ...(f.secret.trim() && { secret: f.secret.trim() }),
    })
  }
  return (
    <form className="row" aria-label="New tracker" onSubmit={send}>
      <input aria-label="Name of the tracker" placeholder="web" required value={f.name} onChange={(e) => setF({ ...f, name: e.target.value })} />
      <select aria-label="Kind of the tracker" value={f.kind} onChange={(e) => setF({ ...f, kind: e.target.value as Kind })}>
        {kinds.map((k) => <option key={k}>{k}</option>)}
      </select>
      <input aria-label="What of it is read" placeholder={scopes[f.kind]} required value={f.scope} onChange={(e) => setF({ ...f, scope: e.target.value })} />
      <input aria-label="Address of the tracker" type="url" placeholder={f.kind === 'jira' ? 'https://acme.atlassian.net' : 'Its own server, if any'} required={f.kind === 'jira'} className="grow" value={f.address} onChange={(e) => setF({ ...f, address: e.target.value })} />
      <input aria-label="Name of its token in the vault" placeholder="TRACKER_TOKEN" value={f.secret} onChange={(e) => setF({ ...f, secret: e.target.value })} />
      <select aria-label="Project that it fills" required value={project} onChange={(e) => setF({ ...f, project: e.target.value })}>
        {p.projects.map((x) => <option key={x.id} value={x.id}>{x.name}</option>)}
      </select>
      <button type="submit" disabled={p.busy}>Read it live</button>
    </form>
  )
}
