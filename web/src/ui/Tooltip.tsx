import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactElement } from 'react'

/** Tooltip is what a Tip shows. */
export function Tooltip(p: { text: string; keys?: string | undefined; children: ReactElement }) {
  return (
    <Base.Root>
      <Base.Trigger render={p.children} delay={400} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} className="z-50">
          <Base.Popup className="border border-faint bg-panel px-2 py-0.5 text-sm text-strong">{p.text} {p.keys && <kbd>{p.keys}</kbd>}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
