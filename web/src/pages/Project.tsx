import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, must, type Schemas } from '../api/client'
import { change } from '../lib/change'
import { kinds } from '../lib/kinds.gen'
import { usePlace, useProjects } from '../lib/project'
import { State } from '../ui/State'
import { Status } from '../ui/Status'
import { Whole } from '../ui/Whole'
import { views } from '../views'
import { OneChart } from './charts/OneChart'

type Standing = Schemas['DeskProjectBody']['status']

/** Kind is how many records of a kind a project has, and the way to them. */
function Kind({ kind, n }: { kind: string; n: number }) {
  const plural = kinds[kind]?.plural ?? `${kind}s`.replace(/ys$/, 'ies')
  const name = (n === 1 ? kind : plural).replaceAll(/[_-]/g, ' ')
  const view = views.find((v) => v.to === `/${plural}`)
  return <li className="flex gap-x-3 border-b border-line"><span className="w-[6ch] text-right tabular-nums text-strong">{n}</span> {view ? <Link to={view.to as never} search={((now: object) => now) as never}>{name}</Link> : name}</li>
}

/** Project shows what the project is, and does to it what concerns it as a whole. */
export function Project({ project }: { project: string }) {
  const queries = useQueryClient()
  const [, go] = usePlace()
  const [name, setName] = useState('')
  const [sure, setSure] = useState(false)
  const path = { project }
  const q = useProjects()
  const items = q.data?.items ?? []
  const counts = useQuery({ queryKey: ['counts', project], queryFn: () => must(api.GET('/api/projects/{project}/counts', { params: { path } })) })
  const fresh = () => queries.invalidateQueries({ queryKey: ['project'] })
  const status = useMutation({ mutationFn: (to: Standing) => must(api.PATCH('/api/projects/{project}', { params: { path }, body: { status: to } as never })), onSuccess: fresh })
  const copy = useMutation({
    mutationFn: (template: boolean) => must(api.POST('/api/projects/{project}/copy', { params: { path }, body: { name, template } })),
    onSuccess: async (made) => {
      await fresh()
      setName('')
      go({ project: made.id })
    },
  })
  const remove = useMutation({
    mutationFn: () => change(`Deleted the project ${b?.name ?? ''}`, api.DELETE('/api/projects/{project}', { params: { path } })),
    onSuccess: async () => {
      go({ project: items.find((p) => p.id !== project)?.id ?? '' })
      await fresh()
    },
  })
  const error = status.error ?? copy.error ?? remove.error
  const b = items.find((p) => p.id === project)?.body
  const all = Object.entries(counts.data ?? {}).filter(([kind]) => kind !== 'project')
  return (
    <Whole>
      <h2>Project</h2>
      <State pending={q.isPending || counts.isPending} error={q.error} empty={!b} hint="This project is not there any more. Choose another at the top.">
        <p><b>{b?.name}</b> <Status of={b?.status ?? ''} /> <span className="muted">{b?.description}</span></p>
        {all.length === 0 && <p className="muted">No records yet.</p>}
        <ul aria-label="Records" className="m-0! mb-4! grid list-none! grid-cols-[repeat(auto-fill,minmax(22ch,1fr))] gap-x-6 gap-y-1 p-0!">
          {all.map(([kind, n]) => <Kind key={kind} kind={kind} n={n} />)}
        </ul>
        {b?.status === 'ARCHIVED' && <p>It is archived: its records are kept to be read, and do not change.</p>}
        <div className="row">
          {b?.status === 'ACTIVE'
            ? <button type="button" onClick={() => status.mutate('ARCHIVED')}>Archive</button>
            : <button type="button" onClick={() => status.mutate('ACTIVE')}>Make active</button>}
          <a href={`/api/projects/${project}/export?format=xlsx`} download>Export as a workbook</a>
          <a href={`/api/projects/${project}/export?format=json`} download>Export as JSON</a>
        </div>
        <form className="row" onSubmit={(e) => e.preventDefault()}>
          <input aria-label="Name of the copy" placeholder="Name of the copy" value={name} onChange={(e) => setName(e.target.value)} />
          <button type="button" disabled={name.trim() === '' || copy.isPending} onClick={() => copy.mutate(false)}>Copy</button>
          <button type="button" disabled={name.trim() === '' || copy.isPending} onClick={() => copy.mutate(true)}>Save as a template</button>
        </form>
        <div className="row">
          {sure
            ? <><span className="danger">All its records are deleted with it. An admin can take that back.</span> <button type="button" className="danger" onClick={() => remove.mutate()}>Delete {b?.name}</button> <button type="button" onClick={() => setSure(false)}>Keep it</button></>
            : <button type="button" className="danger" onClick={() => setSure(true)}>Delete…</button>}
        </div>
        {error && <p className="danger" role="alert">{error.message}</p>}
        <OneChart project={project} name="burn-up" />
      </State>
    </Whole>
  )
}
