import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { api, must } from '../../api/client'
import { change } from '../../lib/change'
import { count } from '../../lib/count'
import { useKeys, usePane } from '../../lib/pane'
import { Fields } from '../../ui/Fields'
import { Options } from '../../ui/Options'
import { priorities, statuses } from './values'

/** Field is one that many tickets can be given at once: the key that goes to it, and what it takes. */
type Field = { key: string; name: string; title: string; choices?: string[]; type?: 'date' | 'number' }

/** fields are those of the bar, in its order. */
const fields: Field[] = [
  { key: 's', name: 'status', title: 'Status', choices: statuses },
  { key: 'a', name: 'owner', title: 'Owner' },
  { key: 'd', name: 'dueDate', title: 'Due', type: 'date' },
  { key: 'p', name: 'priority', title: 'Priority', choices: priorities },
  { key: 'i', name: 'sprint', title: 'Sprint' },
  { key: 'P', name: 'storyPoints', title: 'Points', type: 'number' },
]

/** pause is how long nothing is typed before the daemon is asked what would change, in milliseconds. */
const pause = 150
const shown = 12 // tickets of the preview

/** Set is what fields are to be; an empty text clears a field. */
type Set = { [field: string]: string }

/** patchOf is a set as the daemon takes it. */
const patchOf = (set: Set) => Object.fromEntries(Object.entries(set).map(([name, value]) => [name, value === '' ? null : fields.find((f) => f.name === name)?.type === 'number' ? Number(value) : value]))

/** useCalm is a value when it has not changed for a moment. */
function useCalm<T>(value: T): T {
  const [calm, setCalm] = useState(value)
  useEffect(() => {
    const later = setTimeout(() => setCalm(value), pause)
    return () => clearTimeout(later)
  }, [value])
  return calm
}

/** Bulk gives many tickets the same values: a key goes to a field, the daemon says what would change, ticket by ticket, and Enter changes that. */
export function Bulk(p: { project: string; ids: string[]; people: string[]; onDone: () => void }) {
  const queries = useQueryClient()
  const { scroller } = usePane()
  const [set, setSet] = useState<Set>({})
  const [wanted, want] = useState('')
  const controls = useRef(new Map<string, HTMLElement>())
  const calm = useCalm(set)
  const preview = useQuery({
    queryKey: ['ticket', p.project, 'bulk', p.ids, calm],
    enabled: Object.keys(calm).length > 0,
    retry: false,
    queryFn: () => must(api.POST('/api/projects/{project}/tickets/bulk', { params: { path: { project: p.project } }, body: { ids: p.ids, set: patchOf(calm), preview: true } as never })),
  })
  const edit = useMutation({
    mutationFn: () => change((out) => `Changed ${count(out.changed?.length, 'ticket')}`, api.POST('/api/projects/{project}/tickets/bulk', { params: { path: { project: p.project } }, body: { ids: p.ids, set: patchOf(set) } as never })),
    onSuccess: async () => {
      scroller()?.focus() // keys are for the view again: the first may take this back
      await queries.invalidateQueries({ queryKey: ['ticket'] })
      p.onDone()
    },
  })
  const changed = preview.data?.changed ?? []
  const ready = calm === set && preview.isSuccess && !preview.isPlaceholderData && changed.length > 0 && !edit.isPending
  const open = (name: string) => {
    want(name)
    controls.current.get(name)?.focus()
  }
  useEffect(() => controls.current.get(wanted)?.focus(), [wanted])
  useKeys([...fields.map((f) => ({ key: f.key, does: `set the ${f.title.toLowerCase()} of the marked`, act: () => open(f.name) })), { key: 'Escape', does: 'unmark all', act: p.onDone }])
  const give = (name: string) => (e: { target: { value: string } }) => {
    setSet({ ...set, [name]: e.target.value })
    edit.reset()
  }
  return (
    <form
      aria-label="Edit the marked tickets"
      className="card sticky -top-3 z-10"
      onSubmit={(e) => {
        e.preventDefault()
        if (ready) edit.mutate()
      }}
      onKeyDown={(e) => {
        const field = (e.target as HTMLElement).matches('input, select')
        if (field && e.key === 'Enter') {
          e.preventDefault() // a select would open
          if (ready) edit.mutate()
        }
        if (field && e.key === 'Escape') scroller()?.focus() // the marks stay
      }}
    >
      <div className="flex flex-wrap items-center gap-2">
        <b>{count(p.ids.length, 'ticket')} marked</b>
        {fields.map((f) => {
          const on = f.name in set || f.name === wanted
          if (!on) return <button key={f.name} type="button" className="px-2 py-0" onClick={() => open(f.name)}>{f.title} <kbd>{f.key}</kbd></button>
          const control = { 'aria-label': f.title, value: set[f.name] ?? '', onChange: give(f.name), className: 'px-1 py-0', ref: (el: HTMLElement | null) => void (el ? controls.current.set(f.name, el) : controls.current.delete(f.name)) }
          return (
            <span key={f.name} className="flex items-center gap-1 text-muted">{f.title}
              {f.choices
                ? <select {...control}><option value="" disabled>choose…</option><Options of={f.choices} /></select>
                : <input {...control} type={f.type ?? 'text'} min={0} step="any" className="w-[16ch] px-1 py-0" placeholder="empty clears it" {...(f.name === 'owner' && { list: 'bulk-people' })} />}
            </span>
          )
        })}
        <datalist id="bulk-people">{p.people.map((n) => <option key={n} value={n} />)}</datalist>
        <span className="ml-auto flex gap-2">
          <button type="submit" className="primary px-2 py-0" disabled={!ready}>{preview.isSuccess && changed.length === 0 ? 'Nothing would change' : `Change ${count(changed.length, 'ticket')}`} <kbd>Enter</kbd></button>
          <button type="button" className="px-2 py-0" onClick={p.onDone}>Unmark all <kbd>Esc</kbd></button>
        </span>
      </div>
      {(edit.error ?? preview.error) && <p className="danger m-0" role="alert">{(edit.error ?? preview.error)?.message}</p>}
      {(preview.data?.newPeople ?? []).length > 0 && <p className="m-0 text-warn">Nobody was called so until now, a person is made: {preview.data?.newPeople?.join(', ')}</p>}
      {changed.length > 0 && (
        <ul aria-label="What would change" className="mt-2 mb-0 max-h-[40vh] list-none overflow-y-auto p-0">
          {changed.slice(0, shown).map((d) => (
            <li key={d.id} className="grid grid-cols-[10ch_minmax(0,1fr)_minmax(0,2fr)] gap-x-3 border-t border-line py-0.5">
              <span className="text-muted">{d.key}</span><Link to="/records/$id" params={{ id: d.id }} className="truncate">{d.title}</Link><span><Fields of={d.fields} /></span>
            </li>
          ))}
          {changed.length > shown && <li className="border-t border-line py-0.5 text-muted">and {changed.length - shown} more</li>}
        </ul>
      )}
    </form>
  )
}
