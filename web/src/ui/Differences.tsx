import { Link } from '@tanstack/react-router'
import { Table } from './Table'

/** Difference is one field of a ticket of which a source says something else. */
export type Difference = { ticket?: string; title: string; field: string; before: string; after: string }

/** Differences lists what an export changes, field by field; left says how many tickets are not listed. */
export function Differences(p: { of: Difference[]; left?: number }) {
  if (p.of.length === 0) return null
  return (
    <details open={p.of.length <= 10}>
      <summary>What is different</summary>
      <Table
        heads={['Ticket', 'Field', 'Here', 'In the export']}
        rows={p.of.map((d, i) => ({
          key: String(i),
          cells: [d.ticket ? <Link key="ticket" to="/records/$id" params={{ id: d.ticket }}>{d.title}</Link> : d.title, d.field, d.before, d.after],
        }))}
      />
      {(p.left ?? 0) > 0 && <p className="muted">{p.left} more tickets differ and are not listed.</p>}
    </details>
  )
}
