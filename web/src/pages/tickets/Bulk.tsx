import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client'
import { change } from '../../lib/change'
import { count } from '../../lib/count'
import { Options } from '../../ui/Options'
import { priorities, statuses } from './values'

/** choices are the fields that many tickets can be given at once, with what they may be. */
const choices: { [field: string]: string[] | undefined } = { status: statuses, priority: priorities, owner: undefined, sprint: undefined }

/** Bulk gives many tickets the same value: first it says what would change, then it changes that. */
export function Bulk(p: { project: string; ids: string[]; onDone: () => void }) {
  const queries = useQueryClient()
  const [field, setField] = useState('status')
  const [value, setValue] = useState('')
  const edit = useMutation({
    mutationFn: (preview: boolean) =>
      change((out) => (out.preview ? '' : `Changed ${count(out.changed?.length, 'ticket')}`), api.POST('/api/projects/{project}/tickets/bulk', { params: { path: { project: p.project } }, body: { ids: p.ids, set: { [field]: value === '' ? null : value }, preview } as never })),
    onSuccess: async (out) => {
      if (out.preview) return
      await queries.invalidateQueries({ queryKey: ['ticket'] })
      p.onDone()
    },
  })
  const allowed = choices[field]
  const edited = (set: () => void) => {
    set()
    edit.reset()
  }
  return (
    <form
      aria-label="Edit the marked tickets"
      className="card flex flex-wrap items-center gap-2"
      onSubmit={(e) => {
        e.preventDefault()
        edit.mutate(true)
      }}
      onKeyDown={(e) => e.key === 'Escape' && p.onDone()}
    >
      <span>{count(p.ids.length, 'ticket')} marked: set</span>
      <select aria-label="Field" value={field} onChange={(e) => edited(() => { setField(e.target.value); setValue('') })}>{Object.keys(choices).map((f) => <option key={f}>{f}</option>)}</select>
      <span>to</span>
      {allowed
        ? <select aria-label="Value" value={value} onChange={(e) => edited(() => setValue(e.target.value))}><option value="">choose…</option><Options of={allowed} /></select>
        : <input aria-label="Value" placeholder="empty clears it" value={value} onChange={(e) => edited(() => setValue(e.target.value))} />}
      <button type="submit" disabled={edit.isPending || (allowed !== undefined && value === '')}>Preview</button>
      {edit.data?.preview && (
        <button type="button" disabled={(edit.data.changed ?? []).length === 0} onClick={() => edit.mutate(false)}>
          {(edit.data.changed ?? []).length === 0 ? 'Nothing would change' : `Change ${count((edit.data.changed ?? []).length, 'ticket')}`}
        </button>
      )}
      <button type="button" onClick={p.onDone}>Unmark all</button>
      {edit.error && <p className="danger m-0 w-full" role="alert">{edit.error.message}</p>}
    </form>
  )
}
