import type { CSSProperties, HTMLAttributes, ReactNode, Ref } from 'react'
import { hiding } from './columns'

/** Row is a table's row; its key tells it from the others, and on is what its element has besides. Instead of cells it may have one over its whole width. */
export type Row = { key: string | number; cells: ReactNode[] | { whole: ReactNode }; on?: HTMLAttributes<HTMLElement> & { ref?: Ref<HTMLElement & HTMLTableRowElement> } }

/** Head is a column; from hides it in panes that are narrower. One that stands below is under its row, over all of the width, in a pane of half the window. */
export type Head = string | { name: string; from: keyof typeof hiding } | { name: string; below: true }

/** Table shows rows under heads; in a narrow pane a row is a card, each value beside its head. */
export function Table(p: { heads: Head[]; rows: Row[] }) {
  const heads = p.heads.map((h) => (typeof h === 'string' ? { name: h, look: undefined } : { name: h.name, look: 'below' in h ? 'below' : hiding[h.from] }))
  const beside = heads.filter((h) => h.look !== 'below').length
  return (
    <table {...(beside < heads.length && { className: 'parted', style: { '--beside': beside } as CSSProperties })}>
      <thead>
        <tr>{heads.map((h) => <th key={h.name} className={h.look}>{h.name}</th>)}</tr>
      </thead>
      <tbody>
        {p.rows.map((r) => (
          <tr key={r.key} {...r.on}>{Array.isArray(r.cells) ? r.cells.map((cell, i) => <td key={i} data-head={heads[i]?.name} className={heads[i]?.look}>{cell}</td>) : <td colSpan={p.heads.length} className="@max-[480px]:pl-0!">{r.cells.whole}</td>}</tr>
        ))}
      </tbody>
    </table>
  )
}
