import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, must, type Schemas } from '../api/client'
import { count } from '../lib/count'
import { usePlace, useProjects } from '../lib/project'
import { State } from '../ui/State'
import { Status } from '../ui/Status'

type Standing = Schemas['DeskProjectBody']['status']

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
    mutationFn: () => must(api.DELETE('/api/projects/{project}', { params: { path } })),
    onSuccess: async () => {
      go({ project: items.find((p) => p.id !== project)?.id ?? '' })
      await fresh()
    },
  })
  const error = status.error ?? copy.error ?? remove.error
  const b = items.find((p) => p.id === project)?.body
  const all = Object.entries(counts.data ?? {}).filter(([kind]) => kind !== 'project')
  return (
    <section>
      <h2>Project</h2>
      <State pending={q.isPending} error={q.error} empty={!b} hint="This project is not there any more. Choose another at the top.">
        <p><b>{b?.name}</b> <Status of={b?.status ?? ''} /> <span className="muted">{b?.description}</span></p>
        <p className="muted">{all.length === 0 ? 'No records yet.' : all.map(([kind, n]) => count(n, kind.replaceAll('_', ' '))).join(' · ')}</p>
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
            ? <><span className="danger">All its records are deleted with it; the log keeps what was.</span> <button type="button" className="danger" onClick={() => remove.mutate()}>Delete {b?.name}</button> <button type="button" onClick={() => setSure(false)}>Keep it</button></>
            : <button type="button" className="danger" onClick={() => setSure(true)}>Delete…</button>}
        </div>
        {error && <p className="danger" role="alert">{error.message}</p>}
      </State>
    </section>
  )
}
