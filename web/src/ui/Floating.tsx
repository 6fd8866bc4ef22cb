import { Popover } from '@base-ui/react/popover'
import type { KeyboardEvent, ReactNode, RefObject } from 'react'

/** Floating is what a Popover opens, beside its button. */
export function Floating(p: { label: string; anchor: RefObject<HTMLButtonElement | null>; onClose: () => void; className: string; onKeyDown?: ((e: KeyboardEvent<HTMLElement>) => void) | undefined; children: ReactNode }) {
  return (
    <Popover.Root open onOpenChange={(open, why) => !open && !p.anchor.current?.contains(why.event.target as Node) && p.onClose()}>
      <Popover.Portal>
        <Popover.Positioner anchor={p.anchor} sideOffset={4} align="end" className="z-50">
          <Popover.Popup aria-label={p.label} finalFocus={p.anchor} onKeyDown={p.onKeyDown} className={`max-h-(--available-height) overflow-y-auto border border-faint bg-panel text-text outline-none! ${p.className}`}>{p.children}</Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
