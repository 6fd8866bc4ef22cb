import { useEffect, useRef, useState } from 'react'
import { type Note, reasons, useInbox } from './inbox'

const key = 'chela-notify'

/** State is whether this browser tells of what is new: it cannot, the person forbade it, or it does or does not. */
export type State = 'cannot' | 'forbidden' | 'on' | 'off'

/** stateOf is whether this browser tells of what is new. */
export function stateOf(): State {
  if (typeof Notification === 'undefined') return 'cannot'
  if (Notification.permission === 'denied') return 'forbidden'
  return Notification.permission === 'granted' && localStorage.getItem(key) === 'on' ? 'on' : 'off'
}

/** useTelling is whether this browser tells of what is new, and how to have it: it asks the person when they press a button, never by itself. */
export function useTelling(): [State, (on: boolean) => Promise<void>] {
  const [state, setState] = useState(stateOf)
  return [state, async (on) => {
    if (on) await Notification.requestPermission()
    localStorage.setItem(key, on ? 'on' : 'off')
    setState(stateOf())
  }]
}

/** fresh are the notifications that nobody has read and that were not there before. */
export function fresh(all: Note[], before: Set<string>): Note[] {
  return all.filter((n) => !n.readAt && !before.has(n.id))
}

/** useTold has the browser tell of what comes while the page is not looked at. What was there when it was opened is not told. */
export function useTold(open: (n: Note) => void) {
  const items = useInbox().data?.items
  const before = useRef<Set<string>>(undefined)
  const now = useRef(open)
  now.current = open
  useEffect(() => {
    if (!items) return
    const seen = before.current
    before.current = new Set([...(seen ?? []), ...items.map((n) => n.id)])
    if (!seen || document.hasFocus() || stateOf() !== 'on') return
    for (const n of fresh(items, seen)) {
      const said = new Notification(`${reasons[n.reason]?.name ?? 'Chela'}: ${n.title}`, { body: n.text ?? '', tag: n.id }) // the tag: of many tabs one tells
      said.onclick = () => {
        window.focus()
        now.current(n)
        said.close()
      }
    }
  }, [items])
}
