import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, must } from '../../api/client'
import type { Span } from './tree'

/** takeFocus gives a button the focus when it appears. */
const takeFocus = (el: HTMLButtonElement | null) => el?.focus()

/** Fork begins a new run that has everything up to a step, and goes to it. */
export function Fork(p: { run: string; from: Span; onClose: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const fork = useMutation({
    mutationFn: () => must(api.POST('/api/runs/{id}/fork', { params: { path: { id: p.run } }, body: { afterSeq: p.from.seq } })),
    onSuccess: (made) => {
      void queries.invalidateQueries({ queryKey: ['run'] })
      void navigate({ to: '/runs/$id', params: { id: made.id } } as never)
    },
  })
  return (
    <form
      aria-label="Fork the run" className="card border-accent!"
      onSubmit={(e) => {
        e.preventDefault()
        fork.mutate()
      }}
      onKeyDown={(e) => e.key === 'Escape' && p.onClose()}
    >
      <p>A new run begins in a conversation of its own. It has every step up to {p.from.seq}, <b>{p.from.name}</b>, and does what comes after it anew.</p>
      <div className="row">
        <button ref={takeFocus} type="submit" disabled={fork.isPending}>Fork here</button>
        <button type="button" onClick={p.onClose}>Leave it <kbd>Esc</kbd></button>
      </div>
      {fork.error && <p className="danger" role="alert">{fork.error.message}</p>}
    </form>
  )
}
