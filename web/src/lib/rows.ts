import { type HTMLAttributes, useCallback, useEffect, useRef, useState } from 'react'
import { type Subject, useKeys, usePane } from './pane'

/** calm is how long a row stays chosen before linked panes follow, in milliseconds: not at every step of a held key. */
const calm = 120

/** Acts are what keys do to the row that is chosen, by the key's name. */
export type Acts = { [key: string]: { does: string; act: (id: string) => void } }

/** after is the place of the chosen row in a list that may have changed: the row's own, else where it was. */
export function after(ids: string[], id: string, was: number): number {
  const now = ids.indexOf(id)
  return now >= 0 ? now : Math.min(Math.max(was, 0), ids.length - 1)
}

/**
 * useRows chooses one row of a list by keyboard: j and k, or the arrows when no field has
 * the focus, move; each key of acts does its thing to the chosen row. When that row goes
 * away, the one that takes its place is chosen. What row returns belongs on the row's element, and move chooses
 * another row so many further.
 * Panes that are linked with this one follow to the subject of a row that a person chose.
 */
export function useRows(ids: string[], acts: Acts, subject?: (id: string) => Subject | undefined) {
  const [chosen, choose] = useState({ id: '', was: 0 })
  const places = useRef(new Map<string, HTMLElement>())
  const index = after(ids, chosen.id, chosen.was)
  const at = ids[index] ?? ''
  const now = useRef({ ids, index })
  now.current = { ids, index }
  const move = (by: number) => {
    const { ids: all, index: from } = now.current
    const to = Math.min(Math.max(from + by, 0), all.length - 1)
    const id = all[to]
    if (id === undefined) return
    choose({ id, was: to })
    places.current.get(id)?.focus()
  }
  const { pick } = usePane()
  const about = useRef(subject)
  about.current = subject
  useEffect(() => {
    if (chosen.id === '') return
    const later = setTimeout(() => {
      const of = about.current?.(chosen.id)
      if (of) pick(of)
    }, calm)
    return () => clearTimeout(later)
  }, [chosen.id, pick])
  const some = ids.length > 0
  useKeys(some ? [{ key: 'j ArrowDown', does: 'the next row', act: () => move(1) }, { key: 'k ArrowUp', does: 'the row before', act: () => move(-1) }] : [], true)
  useKeys(some ? Object.entries(acts).map(([key, { does, act }]) => ({ key, does, act: () => act(at) })) : [])
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
      className: 'aria-[current=true]:bg-selected aria-[current=true]:shadow-[inset_3px_0_0_var(--color-focus)]',
    }),
    [at],
  )
  return { at, row, move }
}
