import { type HTMLAttributes, useCallback, useEffect, useRef, useState } from 'react'

/** Acts are what keys do to the row that is chosen, by the key's name. */
export type Acts = { [key: string]: (id: string) => void }

/** after is the place of the chosen row in a list that may have changed: the row's own, else where it was. */
export function after(ids: string[], id: string, was: number): number {
  const now = ids.indexOf(id)
  return now >= 0 ? now : Math.min(Math.max(was, 0), ids.length - 1)
}

/**
 * useRows chooses one row of a list by keyboard: j and k, or the arrows when no field has
 * the focus, move; each key of acts does its thing to the chosen row. When that row goes
 * away, the one that takes its place is chosen. What row returns belongs on the row's element.
 */
export function useRows(ids: string[], acts: Acts) {
  const [chosen, choose] = useState({ id: '', was: 0 })
  const places = useRef(new Map<string, HTMLElement>())
  const index = after(ids, chosen.id, chosen.was)
  const at = ids[index] ?? ''
  const now = useRef({ ids, acts, index })
  now.current = { ids, acts, index }
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      const el = e.target as HTMLElement
      if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || el.closest('input, textarea, select, dialog')) return
      if (e.key === 'Enter' && el.closest('a, button, summary')) return
      const { ids: all, acts: can, index: from } = now.current
      const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[e.key]
      const id = all[step === undefined ? from : Math.min(Math.max(from + step, 0), all.length - 1)]
      if (id === undefined) return
      if (step !== undefined) {
        e.preventDefault()
        choose({ id, was: all.indexOf(id) })
        places.current.get(id)?.focus()
      } else if (can[e.key] && !e.repeat) {
        e.preventDefault() // or a field that appears would take it
        can[e.key]?.(id)
      }
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  const row = useCallback(
    (id: string): HTMLAttributes<HTMLElement> & { ref: (el: HTMLElement | null) => void } => ({
      ref: (el) => {
        if (el) places.current.set(id, el)
        else places.current.delete(id)
      },
      tabIndex: id === at ? 0 : -1,
      'aria-current': id === at ? 'true' : undefined,
      onFocus: () => choose({ id, was: now.current.ids.indexOf(id) }),
      onClick: () => choose({ id, was: now.current.ids.indexOf(id) }),
      className: 'aria-[current=true]:bg-panel aria-[current=true]:shadow-[inset_3px_0_0_var(--color-accent)]',
    }),
    [at],
  )
  return { at, row }
}
