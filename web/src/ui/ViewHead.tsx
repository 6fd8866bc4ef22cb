import type { ReactNode } from 'react'
import { useReturn } from '../lib/focus'
import { useKeys } from '../lib/pane'

/** Primary is the one thing that a view is for, besides looking: a button at the right of its title, and a key. open says that the form which it opens is open: it goes back to it then. */
export type Primary = { name: string; key?: string; act: () => void; open?: boolean }

/** ViewHead is the title of a view, how many things it has, what is beside that, and its primary action, which on a narrow screen follows the title. */
export function ViewHead(p: { title: ReactNode; total?: ReactNode; primary?: Primary | false | undefined; children?: ReactNode }) {
  const primary = p.primary || undefined
  const key = primary?.key ?? 'n'
  const back = useReturn()
  const act = primary?.open ? back : primary?.act
  useKeys(primary && act ? [{ key, does: primary.name.toLowerCase(), act }] : [])
  return (
    <div className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1">
      <h2 className={`m-0! ${primary ? 'max-sm:-order-2 max-sm:grow' : ''}`}>{p.title} {p.total !== undefined && <span className="inline-block min-w-[3ch] font-normal text-muted" data-testid="total">{p.total}</span>}</h2>
      {p.children}
      {primary && <button type="button" className="primary px-3 py-0.5 max-sm:-order-1 sm:ml-auto" aria-expanded={primary.open} onClick={act}>{primary.name} <kbd>{key}</kbd></button>}
    </div>
  )
}
