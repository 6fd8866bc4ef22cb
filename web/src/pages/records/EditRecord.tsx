import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, Problem } from '../../api/client'
import { change } from '../../lib/change'
import { spoken } from '../../lib/changes'
import { type Field, patchOf, type Values, valuesOf } from '../../lib/form'
import { kinds } from '../../lib/kinds.gen'
import { titleOf } from '../../lib/order'
import { useUnsaved } from '../../lib/unsaved'
import { Conflict } from '../../ui/Conflict'
import { Options } from '../../ui/Options'
import { Pick } from './Pick'

type Edited = { id: string; projectId: string; version: number; body: unknown; owner?: string | undefined }

/** takeFocus gives a field the focus when it appears; one function for all renders, or it would again at each. */
const takeFocus = (field: HTMLElement | null) => field?.focus()

/**
 * EditRecord changes a record where it stands. When somebody changed it meanwhile, what they
 * made of it is shown, and nothing is overwritten without another look.
 */
export function EditRecord(p: { kind: string; record: Edited; only?: string[]; onClose: () => void }) {
  const queries = useQueryClient()
  const of = kinds[p.kind] ?? { plural: 'ideas' as const, fields: [] }
  const fields = of.fields.filter((f) => p.only === undefined || p.only.includes(f.name))
  const [before] = useState(() => valuesOf(fields, p.record)) // as it was when the editing began
  const [seen, setSeen] = useState(p.record.version)
  const [now, setNow] = useState<Values>(before)
  const save = useMutation({
    mutationFn: (patch: { [field: string]: unknown }) =>
      change(`Changed ${titleOf(p.record.body as { [field: string]: unknown }) || spoken(p.kind)}`, api.PATCH(`/api/projects/{project}/${of.plural}/{id}` as '/api/projects/{project}/ideas/{id}', { params: { path: { project: p.record.projectId, id: p.record.id }, header: { 'If-Match': seen } }, body: patch as never })),
    onSettled: async (_made, error) => {
      await Promise.all([queries.invalidateQueries({ queryKey: [p.kind] }), queries.invalidateQueries({ queryKey: ['record'] })])
      if (!error) p.onClose() // not before: the row would show for a moment what it was
    },
  })
  useUnsaved(Object.keys(patchOf(fields, now, before)).length > 0)
  const conflict = save.error instanceof Problem && save.error.status === 409
  const theirs = Object.entries(patchOf(fields, valuesOf(fields, p.record), before))
  const send = () => {
    const patch = patchOf(fields, now, before)
    if (Object.keys(patch).length === 0) p.onClose()
    else save.mutate(patch)
  }
  return (
    <form
      aria-label={`Edit ${String(before[fields[0]?.name ?? ''] ?? '')}`} className="grid gap-1"
      onSubmit={(e) => {
        e.preventDefault()
        send()
      }}
      onKeyDown={(e) => {
        if (e.key === 'Escape') p.onClose()
        if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) send()
      }}
    >
      {fields.map((f, i) => <Input key={f.name} of={f} project={p.record.projectId} first={i === 0} value={now[f.name] ?? ''} onChange={(value) => setNow({ ...now, [f.name]: value })} />)}
      <div className="flex flex-wrap items-center gap-2">
        <button type="submit" disabled={save.isPending}>Save <kbd>Ctrl Enter</kbd></button>
        <button type="button" onClick={p.onClose}>Cancel <kbd>Esc</kbd></button>
      </div>
      {save.error && !conflict && <p className="danger m-0" role="alert">{save.error.message}</p>}
      {conflict && <Conflict theirs={theirs.map(([k, v]) => [spoken(k), v])} onTake={p.onClose} onKeep={() => {
        setSeen(p.record.version)
        save.reset()
      }} />}
    </form>
  )
}

/** local is an instant, or a day's beginning, as a field for a local day and time has it. */
function local(text: string): string {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? '' : new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** Input is the field of a form for what a record's field takes. */
function Input(p: { of: Field; project: string; first: boolean; value: string; onChange: (value: string) => void }) {
  const name = spoken(p.of.name)
  const label = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  const common = { 'aria-label': label, value: p.value, className: 'w-full min-w-0', onChange: (e: { target: { value: string } }) => p.onChange(e.target.value), ...(p.first && { ref: takeFocus }) }
  const lines = Math.min(14, Math.max(2, p.value.split('\n').length))
  return (
    <div className="grid items-start gap-x-3 @xl:grid-cols-[16ch_minmax(0,1fr)]">
      <span className="pt-1 text-muted">{label}{p.of.takes === 'list' && <span className="block text-xs">one a line</span>}</span>
      {(p.of.takes === 'record' || p.of.takes === 'records') && p.of.of && <Pick project={p.project} kind={p.of.of} label={label} one={p.of.takes === 'record'} value={p.value} onChange={p.onChange} />}
      {p.of.takes === 'choice' && <select {...common}><Options of={[...new Set([p.value, ...(p.of.choices ?? [])])]} /></select>}
      {(p.of.takes === 'area' || p.of.takes === 'list') && <textarea {...common} rows={lines} />}
      {p.of.takes === 'check' && <input type="checkbox" aria-label={label} className="mt-2 justify-self-start" checked={p.value === 'true'} onChange={(e) => p.onChange(String(e.target.checked))} />}
      {p.of.takes === 'moment' && <input {...common} type="datetime-local" value={local(p.value)} onChange={(e) => p.onChange(e.target.value === '' ? '' : new Date(e.target.value).toISOString())} />}
      {(p.of.takes === 'text' || p.of.takes === 'number' || p.of.takes === 'date') && <input type={p.of.takes} step="any" {...common} />}
    </div>
  )
}
