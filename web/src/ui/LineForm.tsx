import { useState } from 'react'
import { takeFocus } from '../lib/focus'
import { useUnsaved } from '../lib/unsaved'

/** LineForm edits a few texts in a line: a name and what it is for each. With again it stays open for the next, and what was refused comes back to it, unless the next is begun. */
export function LineForm(p: { label: string; fields: [name: string, value: string][]; again?: boolean; onSave: (values: string[]) => unknown; onClose: () => void }) {
  const fresh = p.fields.map(([, v]) => v)
  const [values, setValues] = useState(fresh)
  useUnsaved(values.some((v, i) => v.trim() !== fresh[i]?.trim()))
  return (
    <form
      aria-label={p.label} className="my-1 flex flex-wrap items-center gap-2"
      onSubmit={(e) => {
        e.preventDefault()
        if (values[0]?.trim() === '') return
        const saved = Promise.resolve(p.onSave(values.map((v) => v.trim())))
        if (p.again) setValues(fresh)
        else p.onClose()
        saved.catch(() => setValues((now) => (now.every((v, i) => v === fresh[i]) ? values : now)))
      }}
      onKeyDown={(e) => e.key === 'Escape' && p.onClose()}
    >
      {p.fields.map(([name], i) => (
        <input key={name} {...(i === 0 && { ref: takeFocus })} aria-label={name} placeholder={name} className={i === 0 ? 'min-w-[20ch] flex-[3]' : 'min-w-[12ch] flex-1'} value={values[i] ?? ''} onChange={(e) => setValues(values.map((v, k) => (k === i ? e.target.value : v)))} />
      ))}
      <button type="submit" className="px-2 py-0">{p.again ? 'Add' : 'Save'}</button>
      <button type="button" className="px-2 py-0" onClick={p.onClose}>{p.again ? 'Done' : 'Cancel'} <kbd>Esc</kbd></button>
    </form>
  )
}
