import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Schemas } from '../../api/client'
import { change } from '../../lib/change'
import { takeFocus } from '../../lib/focus'
import { useOnce } from '../../lib/once'

/** Add makes a phase or a milestone. */
export function Add(p: { project: string; phases: Schemas['RecordOfPhaseBody'][]; onClose: () => void }) {
  const queries = useQueryClient()
  const [kind, setKind] = useState<'phase' | 'milestone'>('milestone')
  const [name, setName] = useState('')
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [phase, setPhase] = useState('')
  const path = { project: p.project }
  const make = useMutation<unknown, Error, void>({
    mutationFn: () =>
      kind === 'phase'
        ? change(`Made the phase ${name}`, api.POST('/api/projects/{project}/phases', { params: { path }, body: { name, sortOrder: Math.max(0, ...p.phases.map((x) => x.body.sortOrder ?? 0)) + 1, ...(from && { startDate: from }), ...(to && { endDate: to }) } as never }))
        : change(`Made the milestone ${name}`, api.POST('/api/projects/{project}/milestones', { params: { path }, body: { name, ...(to && { targetDate: to }), ...(phase && { phaseId: phase }) } as never })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [kind] })
      p.onClose()
    },
  })
  const once = useOnce(make.isPending)
  return (
    <form
      aria-label="New phase or milestone" className="card flex flex-wrap items-center gap-2"
      onSubmit={(e) => {
        e.preventDefault()
        if (name.trim() !== '') once(() => make.mutate())
      }}
      onKeyDown={(e) => e.key === 'Escape' && p.onClose()}
    >
      <select aria-label="Kind" value={kind} onChange={(e) => setKind(e.target.value as 'phase' | 'milestone')}><option>milestone</option><option>phase</option></select>
      <input ref={takeFocus} aria-label="Name" placeholder="Name" className="min-w-[20ch] flex-1" value={name} onChange={(e) => setName(e.target.value)} />
      {kind === 'phase'
        ? <label>from <input type="date" aria-label="From" value={from} onChange={(e) => setFrom(e.target.value)} /></label>
        : (
          <select aria-label="Phase" value={phase} onChange={(e) => setPhase(e.target.value)}>
            <option value="">no phase</option>
            {p.phases.map((x) => <option key={x.id} value={x.id}>{x.body.name}</option>)}
          </select>
        )}
      <label>{kind === 'phase' ? 'to' : 'by'} <input type="date" aria-label={kind === 'phase' ? 'To' : 'Day'} value={to} onChange={(e) => setTo(e.target.value)} /></label>
      <button type="submit" disabled={make.isPending || name.trim() === ''}>Add</button>
      <button type="button" onClick={p.onClose}>Cancel <kbd>Esc</kbd></button>
      {make.error && <p className="danger m-0 w-full" role="alert">{make.error.message}</p>}
    </form>
  )
}
