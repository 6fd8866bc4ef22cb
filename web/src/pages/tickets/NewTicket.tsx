import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, must } from '../../api/client'
import { LineForm } from '../../ui/LineForm'
import { Failed } from '../../ui/State'
import { toast } from '../../ui/toast'

/** NewTicket is a line in which tickets are made, one after the other: what is to be done, and by whom. */
export function NewTicket(p: { project: string; onClose: () => void }) {
  const queries = useQueryClient()
  const fresh = () => queries.invalidateQueries({ queryKey: ['ticket'] })
  const path = { project: p.project }
  const make = useMutation({
    mutationFn: ([title = '', owner = '']: string[]) => must(api.POST('/api/projects/{project}/tickets', { params: { path }, body: { title, ...(owner && { owner }) } as never })),
    onSuccess: (made) => toast(`Made the ticket ${made.body.title}`, { undo: () => must(api.DELETE('/api/projects/{project}/tickets/{id}', { params: { path: { ...path, id: made.id } } })).then(fresh) }),
    onSettled: fresh,
  })
  return (
    <div className="card">
      <LineForm label="New ticket" again fields={[['What is to be done', ''], ['Owner', '']]} onClose={p.onClose} onSave={(values) => make.mutate(values)} />
      <Failed of={make.error} />
    </div>
  )
}
