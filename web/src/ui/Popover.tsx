import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react'

/** Opened is what the types of the browser do not know yet: the popover lies at its source. */
type Opened = { showPopover(options: { source: HTMLElement | null }): void }

type Props = {
  label: string // of what opens
  open: boolean
  onOpen: (open: boolean) => void
  button: { label: string; title?: string; className?: string; shows: ReactNode }
  className: string
  onKeyDown?: (e: KeyboardEvent<HTMLElement>) => void
  children: ReactNode
}

/**
 * Popover is a button and what opens under it, by the browser's own popover: it lies over
 * everything, and Esc or a press elsewhere closes it. What is in it is drawn while it is open.
 */
export function Popover({ label, open, onOpen, button, className, onKeyDown, children }: Props) {
  const id = useId()
  const trigger = useRef<HTMLButtonElement>(null)
  const popup = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const el = popup.current
    if (!el || open === el.matches(':popover-open')) return
    if (!open) return el.hidePopover()
    ;(el as Opened).showPopover({ source: trigger.current })
  }, [open])
  useEffect(() => {
    if (open) popup.current?.querySelector<HTMLElement>('button, input, a')?.focus()
  }, [open])
  return (
    <>
      <button ref={trigger} type="button" popoverTarget={id} aria-haspopup="dialog" aria-expanded={open} aria-label={button.label} title={button.title} className={button.className}>{button.shows}</button>
      <div ref={popup} id={id} popover="auto" role="dialog" aria-label={label} className={`popover border border-accent bg-panel text-text ${className}`} onKeyDown={onKeyDown} onToggle={(e) => onOpen(e.newState === 'open')}>
        {open && children}
      </div>
    </>
  )
}
