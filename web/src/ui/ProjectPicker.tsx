import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, must } from '../api/client'
import { usePlace, useProject, useProjects } from '../lib/project'

/** ProjectPicker chooses the project, or makes one: the first thing a new desk needs. */
export function ProjectPicker() {
  const queries = useQueryClient()
  const project = useProject()
  const [, go] = usePlace()
  const { data } = useProjects()
  const [asked, setAsked] = useState(false)
  const [name, setName] = useState('')
  const make = useMutation({
    mutationFn: () => must(api.POST('/api/projects', { body: { name } as never })),
    onSuccess: async (made) => {
      await queries.invalidateQueries({ queryKey: ['project'] })
      go({ project: (made as { id: string }).id })
      setName('')
      setAsked(false)
    },
  })
  const items = data?.items ?? []
  const open = asked || (data !== undefined && items.length === 0)
  return (
    <div className="picker">
      {items.length > 0 && (
        <div className="row">
          <select aria-label="Project" value={project} onChange={(e) => go({ project: e.target.value })}>
            {items.map((p) => (
              <option key={p.id} value={p.id}>{p.body.name}</option>
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
          <button type="submit" disabled={make.isPending || name.trim() === ''}>Make the project</button>
          {make.error && <p className="bad" role="alert">{make.error.message}</p>}
        </form>
      )}
    </div>
  )
}
