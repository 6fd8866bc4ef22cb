import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, must } from '../../api/client'

/** takeFocus gives a field the focus when it appears. */
const takeFocus = (el: HTMLInputElement | null) => el?.focus()

/** ProjectStep makes the first project. */
export function ProjectStep() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const make = useMutation({
    mutationFn: () => must(api.POST('/api/projects', { body: { name: name.trim() } as never })),
    onSuccess: async (made) => {
      void navigate({ to: '/start', search: { project: (made as { id: string }).id } } as never)
      await queries.invalidateQueries({ queryKey: ['project'] })
    },
  })
  return (
    <form
      className="row m-0!"
      onSubmit={(e) => {
        e.preventDefault()
        if (name.trim() !== '') make.mutate()
      }}
    >
      <input ref={takeFocus} aria-label="What the project is called" placeholder="What you work on, such as Checkout" value={name} onChange={(e) => setName(e.target.value)} />
      <button type="submit" disabled={make.isPending || name.trim() === ''}>Go on</button>
      {make.error && <p className="danger" role="alert">{make.error.message}</p>}
    </form>
  )
}
