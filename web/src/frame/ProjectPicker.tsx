import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api, must } from '../api/client'
import { keepProject, usePlace, useProject, useProjects } from '../lib/project'

const id = 'project'

/** openPicker shows all projects, to choose one. */
export function openPicker() {
  const field = document.getElementById(id)
  if (!(field instanceof HTMLSelectElement)) return
  field.focus()
  try {
    field.showPicker()
  } catch {
    // a browser may refuse to open it; the arrow keys choose then
  }
}

/** ProjectPicker chooses the project, or makes one: the first thing a new desk needs. Alt P goes to it. */
export function ProjectPicker() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const project = useProject()
  const [{ form, project: named }, go] = usePlace()
  const { data } = useProjects()
  const [asked, setAsked] = useState(false)
  const [name, setName] = useState('')
  const [like, setLike] = useState('')
  const make = useMutation({
    mutationFn: () =>
      like === ''
        ? must(api.POST('/api/projects', { body: { name } as never }))
        : must(api.POST('/api/projects/{project}/copy', { params: { path: { project: like } }, body: { name } })),
    onSuccess: async (made) => {
      setName('') // at once: the next may be typed while the list is read
      setLike('')
      setAsked(false)
      await queries.invalidateQueries({ queryKey: ['project'] })
      void navigate({ to: '/', search: { project: (made as { id: string }).id } } as never)
    },
  })
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (!e.altKey || e.ctrlKey || e.metaKey || e.code !== 'KeyP') return
      e.preventDefault()
      openPicker()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  useEffect(() => {
    if (named) keepProject(named, data?.items ?? [])
  }, [named, data])
  const items = data?.items ?? []
  const having = (status: string) => items.filter((p) => p.body.status === status)
  const groups = [['Active', having('ACTIVE')], ['Archived', having('ARCHIVED')], ['Templates', having('TEMPLATE')]] as const
  const open = asked
  return (
    <div className="picker">
      {items.length > 0 && (
        <div className="row">
          <select id={id} aria-label="Project" title="Project   Alt P" value={project} onChange={(e) => go({ project: e.target.value, ...(form && { form }) })}>
            {groups.map(([label, of]) => of.length > 0 && (
              <optgroup key={label} label={label}>{of.map((p) => <option key={p.id} value={p.id}>{p.body.name}</option>)}</optgroup>
            ))}
          </select>
          <button type="button" aria-label="New project" aria-expanded={open} onClick={() => setAsked(!asked)}>+</button>
        </div>
      )}
      {open && (
        <form
          onSubmit={(e) => {
            e.preventDefault()
            if (name.trim() !== '') make.mutate()
          }}
        >
          <input aria-label="Name of the project" placeholder="Name of the project" value={name} onChange={(e) => setName(e.target.value)} />
          {items.length > 0 && (
            <select aria-label="Begin as" value={like} onChange={(e) => setLike(e.target.value)}>
              <option value="">empty</option>
              {[...groups].reverse().map(([label, of]) => of.length > 0 && (
                <optgroup key={label} label={`as from ${label.toLowerCase()}`}>{of.map((p) => <option key={p.id} value={p.id}>{p.body.name}</option>)}</optgroup>
              ))}
            </select>
          )}
          <button type="submit" disabled={make.isPending || name.trim() === ''}>Create</button>
          {make.error && <p className="danger" role="alert">{make.error.message}</p>}
        </form>
      )}
    </div>
  )
}
