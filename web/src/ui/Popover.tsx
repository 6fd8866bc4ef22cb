import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { later } from '../lib/later'

const Floating = later(() => import('./Floating'), 'Floating')

type Props = {
  label: string // of what opens
  open: boolean
  onOpen: (open: boolean) => void
  button: { label: string; title?: string; className?: string; shows: ReactNode }
  className: string
  keys?: { [key: string]: () => void } // what each does while it is open
  onKeyDown?: (e: KeyboardEvent<HTMLElement>) => void
  children: ReactNode
}

/** useOwnKeys has keys do what they do in a popover from when it opens on: it is fetched and given the focus later than one types. */
function useOwnKeys(open: boolean, keys: Props['keys']) {
  const now = useRef(keys)
  now.current = keys
  useEffect(() => {
    if (!open) return
    const onKey = (e: globalThis.KeyboardEvent) => {
      const act = now.current?.[e.key]
      if (!act || e.ctrlKey || e.metaKey || e.altKey || (e.target as HTMLElement).closest('input, textarea, select')) return
      e.preventDefault()
      e.stopPropagation() // the view has other uses for them
      act()
    }
    addEventListener('keydown', onKey, true)
    return () => removeEventListener('keydown', onKey, true)
  }, [open])
}

/** Popover is a button and what opens under it; Esc or a press elsewhere closes it. What is in it is fetched and drawn when it opens. */
export function Popover({ label, open, onOpen, button, className, keys, onKeyDown, children }: Props) {
  useOwnKeys(open, keys)
  const anchor = useRef<HTMLButtonElement>(null)
  return (
    <>
      <button ref={anchor} type="button" aria-haspopup="dialog" aria-expanded={open} aria-label={button.label} title={button.title} className={button.className} onPointerEnter={() => void Floating.fetch()} onClick={() => onOpen(!open)}>{button.shows}</button>
      {open && <Floating label={label} anchor={anchor} onClose={() => onOpen(false)} className={className} onKeyDown={onKeyDown}>{children}</Floating>}
    </>
  )
}
