import type { HTMLAttributes, ReactNode, Ref } from 'react'

/** Row is a table's row; its key tells it from the others, and on is what its element has besides. Instead of cells it may have one over its whole width. */
export type Row = { key: string | number; cells: ReactNode[] | { whole: ReactNode }; on?: HTMLAttributes<HTMLElement> & { ref?: Ref<HTMLElement & HTMLTableRowElement> } }

/** Table shows rows under heads; in a narrow window a row is a card, each value beside its head. */
export function Table(p: { heads: string[]; rows: Row[] }) {
  return (
    <table>
      <thead>
        <tr>{p.heads.map((h) => <th key={h}>{h}</th>)}</tr>
      </thead>
      <tbody>
        {p.rows.map((r) => (
          <tr key={r.key} {...r.on}>{Array.isArray(r.cells) ? r.cells.map((cell, i) => <td key={i} data-head={p.heads[i]}>{cell}</td>) : <td colSpan={p.heads.length} className="@max-[480px]:pl-0!">{r.cells.whole}</td>}</tr>
        ))}
      </tbody>
    </table>
  )
}
