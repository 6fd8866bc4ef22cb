import { createContext, useContext, useEffect, useRef, useSyncExternalStore } from 'react'

/** Key is what a key does in a view; `?` shows it. */
export type Key = { key: string; does: string; act: (e: KeyboardEvent) => void }

/** Subject is what is chosen in a pane; those that are linked with it follow. */
export type Subject = { kind: 'record' | 'run'; id: string } | { kind: 'person'; id: string; name: string } | { kind: 'sprint'; name: string }

/** Pane is the part of the window that a view is in: which one, whether keys are for it, what scrolls, how to tell the others what was chosen, and to show something beside it. */
export type Pane = { id: string; focused: boolean; scroller: () => HTMLElement | null; pick: (s: Subject) => void; beside: (href: string) => void }

export const PaneContext = createContext<Pane>({ id: '', focused: true, scroller: () => null, pick: () => undefined, beside: () => undefined })

/** usePane is the pane that a view is in. */
export const usePane = () => useContext(PaneContext)

type Offer = { pane: string; keys: { key: string; does: string }[] }
let offers: Offer[] = []
const hearing = new Set<() => void>()
const change = (to: Offer[]) => {
  offers = to
  for (const h of hearing) h()
}
const hear = (h: () => void) => {
  hearing.add(h)
  return () => void hearing.delete(h)
}

/** useOffered are the keys that the views of a pane have now. */
export function useOffered(pane: string): { key: string; does: string }[] {
  return useSyncExternalStore(hear, () => offers).filter((o) => o.pane === pane).flatMap((o) => o.keys)
}

/** forTheView says whether a pressed key is for the view: not for a field, a dialog or the browser. */
export function forTheView(e: KeyboardEvent): boolean {
  const el = e.target as HTMLElement
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || el.closest('input, textarea, select, dialog, [role="dialog"], [contenteditable="true"]')) return false
  return !((e.key === 'Enter' || e.key === ' ') && el.closest('a, button, summary'))
}

/**
 * useKeys gives a view keys of its own, while its pane has the focus and no field is written
 * in. They are listed under `?`. A key that is held acts once, unless it moves.
 */
export function useKeys(keys: Key[], repeats = false) {
  const { id, focused } = usePane()
  const now = useRef(keys)
  now.current = keys
  const said = JSON.stringify(keys.map((k) => ({ key: k.key, does: k.does })))
  useEffect(() => {
    const offer: Offer = { pane: id, keys: JSON.parse(said) as Offer['keys'] }
    change([...offers, offer])
    return () => change(offers.filter((o) => o !== offer))
  }, [id, said])
  useEffect(() => {
    if (!focused) return
    const onKey = (e: KeyboardEvent) => {
      if (!forTheView(e) || (e.repeat && !repeats)) return
      const meant = now.current.find((k) => k.key.split(' ').includes(e.key))
      if (!meant) return
      e.preventDefault() // or a field that appears would take it
      meant.act(e)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [focused, repeats])
}
