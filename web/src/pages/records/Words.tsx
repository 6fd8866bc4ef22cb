import { useState } from 'react'
import { Problem } from '../../api/client'
import { useUnsaved } from '../../lib/unsaved'
import { Conflict } from '../../ui/Conflict'
import { Markdown } from '../../ui/Markdown'
import { Failed } from '../../ui/State'
import type { Rec } from './quick'
import { usePatch } from './usePatch'

/** takeFocus gives a field the focus when it appears, with the cursor at its end; one function for all renders. */
const takeFocus = (field: HTMLTextAreaElement | null) => {
  field?.focus()
  field?.setSelectionRange(field.value.length, field.value.length)
}

/** Words is the long text of a record, in Markdown: it is read, and written where it stands. */
export function Words(p: { of: Rec; field: string; title: string; may: boolean; editing: boolean; onEdit: (on: boolean) => void }) {
  const text = String((p.of.body as { [field: string]: unknown })[p.field] ?? '')
  if (p.editing) return <Edit {...p} text={text} />
  if (text !== '') return <div className="mb-3 max-w-[110ch]"><Markdown text={text} /></div>
  return p.may ? <button type="button" className="plain mb-3! text-muted!" onClick={() => p.onEdit(true)}>Add a {p.field} <kbd>e</kbd></button> : null
}

function Edit(p: { of: Rec; field: string; title: string; text: string; onEdit: (on: boolean) => void }) {
  const [now, setNow] = useState(p.text)
  const [seen, setSeen] = useState(p.of) // as it was when the writing began
  const patch = usePatch()
  useUnsaved(now.trim() !== p.text.trim())
  const conflict = patch.error instanceof Problem && patch.error.status === 409
  const save = () => {
    if (now.trim() === p.text.trim()) return p.onEdit(false)
    patch.mutate({ of: seen, set: { [p.field]: now.trim() === '' ? null : now.trim() }, said: `Changed the ${p.field} of ${p.title}` }, { onSuccess: () => p.onEdit(false) })
  }
  return (
    <form
      aria-label={`The ${p.field}`} className="mb-3 grid gap-2"
      onSubmit={(e) => {
        e.preventDefault()
        save()
      }}
      onKeyDown={(e) => {
        if (e.key === 'Escape') p.onEdit(false)
        if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) save()
      }}
    >
      <textarea ref={takeFocus} aria-label={p.field} rows={8} className="[field-sizing:content] min-h-32" value={now} onChange={(e) => setNow(e.target.value)} />
      <div className="flex items-center gap-2">
        <button type="submit" className="primary" disabled={patch.isPending}>Save <kbd>Ctrl Enter</kbd></button>
        <button type="button" onClick={() => p.onEdit(false)}>Cancel <kbd>Esc</kbd></button>
        <span className="text-sm text-muted">Markdown</span>
      </div>
      {conflict
        ? <Conflict theirs={[[p.field, p.text]]} onTake={() => p.onEdit(false)} onKeep={() => {
          setSeen(p.of)
          patch.reset()
        }} />
        : <Failed of={patch.error} before="It is not saved. " />}
    </form>
  )
}
