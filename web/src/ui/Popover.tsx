import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { later } from '../lib/later'

const Floating = later(() => import('./Floating'), 'Floating')

type Props = {
  label: string // of what opens
  open: boolean
  onOpen: (open: boolean) => void
  button: { label: string; title?: string; className?: string; shows: ReactNode }
  className: string
  onKeyDown?: (e: KeyboardEvent<HTMLElement>) => void
  children: ReactNode
}

/** Popover is a button and what opens under it; Esc or a press elsewhere closes it. What is in it is fetched and drawn when it opens. */
export function Popover({ label, open, onOpen, button, className, onKeyDown, children }: Props) {
  const anchor = useRef<HTMLButtonElement>(null)
  return (
    <>
      <button ref={anchor} type="button" aria-haspopup="dialog" aria-expanded={open} aria-label={button.label} title={button.title} className={button.className} onPointerEnter={() => void Floating.fetch()} onClick={() => onOpen(!open)}>{button.shows}</button>
      {open && <Floating label={label} anchor={anchor} onClose={() => onOpen(false)} className={className} onKeyDown={onKeyDown}>{children}</Floating>}
    </>
  )
}
