import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client'
import { change } from '../../lib/change'
import { LineForm } from '../../ui/LineForm'
import { Failed } from '../../ui/State'

/** NewTicket is a line in which tickets are made, one after the other: what is to be done, and by whom. */
export function NewTicket(p: { project: string; onClose: () => void }) {
  const queries = useQueryClient()
  const make = useMutation({
    mutationFn: ([title = '', owner = '']: string[]) => change((made) => `Made the ticket ${made.body.title}`, api.POST('/api/projects/{project}/tickets', { params: { path: { project: p.project } }, body: { title, ...(owner && { owner }) } as never })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['ticket'] }),
  })
  return (
    <div className="card">
      <LineForm label="New ticket" again fields={[['What is to be done', ''], ['Owner', '']]} onClose={p.onClose} onSave={(values) => make.mutateAsync(values)} />
      <Failed of={make.error} />
    </div>
  )
}
