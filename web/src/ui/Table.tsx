import type { ReactNode } from 'react'

/** Row is a table's row; its key tells it from the others. */
export type Row = { key: string | number; cells: ReactNode[] }

/** Table shows rows under heads; in a narrow window a row is a card, each value beside its head. */
export function Table(p: { heads: string[]; rows: Row[] }) {
  return (
    <table>
      <thead>
        <tr>{p.heads.map((h) => <th key={h}>{h}</th>)}</tr>
      </thead>
      <tbody>
        {p.rows.map((r) => (
          <tr key={r.key}>{r.cells.map((cell, i) => <td key={i} data-head={p.heads[i]}>{cell}</td>)}</tr>
        ))}
      </tbody>
    </table>
  )
}
