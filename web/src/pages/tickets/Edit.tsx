import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, Problem, type Schemas } from '../../api/client'
import { change } from '../../lib/change'
import { Conflict } from '../../ui/Conflict'
import { Options } from '../../ui/Options'
import { priorities, statuses } from './values'

type Ticket = Schemas['RecordOfTicketBody']
type Change = { title: string; status: string; priority: string; storyPoints: number | null; owner: string | null; dueDate: string | null }

/** asFields are the fields of a ticket that a row shows. */
const asFields = (t: Ticket) => ({ title: t.body.title, status: t.body.status, priority: t.body.priority, points: t.body.storyPoints === undefined ? '' : String(t.body.storyPoints), owner: t.owner ?? '', due: t.body.dueDate ?? '' })

/** changeOf is what fields say that the ticket does not. */
function changeOf(now: ReturnType<typeof asFields>, before: ReturnType<typeof asFields>): Partial<Change> {
  const change: Partial<Change> = {}
  if (now.title !== before.title) change.title = now.title
  if (now.status !== before.status) change.status = now.status
  if (now.priority !== before.priority) change.priority = now.priority
  if (now.points !== before.points) change.storyPoints = now.points === '' ? null : Number(now.points)
  if (now.owner !== before.owner) change.owner = now.owner.trim() || null
  if (now.due !== before.due) change.dueDate = now.due || null
  return change
}

/** takeFocus gives a field the focus when it appears; one function for all renders, or it would again at each. */
const takeFocus = (field: HTMLInputElement | null) => field?.focus()

/**
 * Edit changes a ticket in its row. When somebody changed it meanwhile, what they made of it is
 * shown, and nothing is overwritten without another look.
 */
export function Edit(p: { project: string; ticket: Ticket; people: string[]; onClose: () => void }) {
  const queries = useQueryClient()
  const [began] = useState(p.ticket) // as it was when the editing began
  const [seen, setSeen] = useState(p.ticket.version)
  const [fields, setFields] = useState(asFields(p.ticket))
  const set = (name: keyof typeof fields) => (e: { target: { value: string } }) => setFields({ ...fields, [name]: e.target.value })
  const save = useMutation({
    mutationFn: (body: Partial<Change>) =>
      change(`Changed ${p.ticket.body.externalRef || p.ticket.body.title}`, api.PATCH('/api/projects/{project}/tickets/{id}', { params: { path: { project: p.project, id: p.ticket.id }, header: { 'If-Match': seen } }, body: body as never })),
    onSettled: async (_made, error) => {
      await queries.invalidateQueries({ queryKey: ['ticket'] })
      if (!error) p.onClose() // not before: the row would show for a moment what it was
    },
  })
  const theirs = changeOf(asFields(p.ticket), asFields(began))
  const conflict = save.error instanceof Problem && save.error.status === 409
  const send = () => {
    const made = changeOf(fields, asFields(began))
    if (Object.keys(made).length === 0) p.onClose()
    else save.mutate(made)
  }
  return (
    <form
      aria-label={`Edit ${p.ticket.body.title}`}
      className="flex flex-wrap items-center gap-2"
      onSubmit={(e) => {
        e.preventDefault()
        send()
      }}
      onKeyDown={(e) => e.key === 'Escape' && p.onClose()}
    >
      <input ref={takeFocus} aria-label="Title" className="min-w-[20ch] flex-1" value={fields.title} onChange={set('title')} />
      <select aria-label="New status" value={fields.status} onChange={set('status')}><Options of={statuses} /></select>
      <select aria-label="Priority" value={fields.priority} onChange={set('priority')}><Options of={priorities} /></select>
      <input aria-label="Points" type="number" min="0" step="any" className="w-[8ch]" value={fields.points} onChange={set('points')} />
      <input aria-label="Owner" list="people" className="w-[18ch]" placeholder="Unassigned" value={fields.owner} onChange={set('owner')} />
      <datalist id="people">{p.people.map((n) => <option key={n} value={n} />)}</datalist>
      <input aria-label="Due" type="date" value={fields.due} onChange={set('due')} />
      <button type="submit" disabled={save.isPending}>Save</button>
      <button type="button" onClick={p.onClose}>Cancel</button>
      {save.error && !conflict && <p className="danger m-0 w-full" role="alert">{save.error.message}</p>}
      {conflict && <Conflict theirs={Object.entries(theirs)} onTake={p.onClose} onKeep={() => {
        setSeen(p.ticket.version)
        save.reset()
      }} />}
    </form>
  )
}
