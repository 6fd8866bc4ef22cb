import type { ReactNode } from 'react'

/** Foot is what is shown of the chosen row, below its list: at the foot of the pane when the list is long. A narrow pane has none. */
export function Foot(p: { name: string; children: ReactNode }) {
  return <aside aria-label={p.name} className="sticky bottom-0 mt-6 hidden max-h-[48vh] overflow-auto border-t border-line bg-panel px-3 py-2 @4xl:block">{p.children}</aside>
}
