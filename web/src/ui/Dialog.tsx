import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { Icon } from './Icon'

/** Dialog lies over the page, in its middle, until Esc, its cross or a press beside it closes it. What is in it scrolls under its title and begins at its top. */
export function Dialog(p: { title: string; onClose: () => void; wide?: boolean; children: ReactNode }) {
  return (
    <Base.Root open onOpenChange={(open) => !open && p.onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-bg/70" />
        <Base.Popup className={`fixed top-1/2 left-1/2 z-50 flex max-h-[min(86vh,60rem)] max-w-[94vw] -translate-1/2 flex-col border border-faint bg-panel text-text outline-none! ${p.wide ? 'w-[92rem]' : 'w-[42rem]'}`}>
          <div className="flex shrink-0 items-center gap-3 border-b border-line px-5 py-3">
            <Base.Title className="m-0! flex-1">{p.title}</Base.Title>
            <Base.Close aria-label="Close" className="plain grid size-7 place-items-center text-muted!"><Icon of="close" /></Base.Close>
          </div>
          <div className="min-h-0 overflow-y-auto px-5 py-4">{p.children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
