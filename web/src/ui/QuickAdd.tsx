import { type ReactNode, useRef } from 'react'
import { useOnce } from '../lib/once'
import { useKeys } from '../lib/pane'

/** QuickAdd is one line in which something is added; n goes to it. onAdd returns whether it was taken. */
export function QuickAdd(p: { label: string; hint: string; value: string; onChange: (value: string) => void; onAdd: () => void; busy: boolean; error?: Error | null; children?: ReactNode }) {
  const field = useRef<HTMLInputElement>(null)
  const once = useOnce(p.busy)
  useKeys([{ key: 'n', does: p.label.toLowerCase(), act: () => field.current?.focus() }])
  return (
    <form
      aria-label={p.label} className="my-2 flex flex-wrap items-center gap-2"
      onSubmit={(e) => {
        e.preventDefault()
        if (p.value.trim() !== '') once(p.onAdd)
      }}
    >
      <input ref={field} aria-label={p.label} placeholder={`${p.hint}   n`} className="min-w-[24ch] flex-[3_1_24ch]" value={p.value} onChange={(e) => p.onChange(e.target.value)} />
      {p.children}
      <button type="submit" className="primary" disabled={p.busy || p.value.trim() === ''}>Add</button>
      {p.error && <p className="danger m-0 w-full" role="alert">{p.error.message}</p>}
    </form>
  )
}
