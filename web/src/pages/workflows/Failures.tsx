import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api/client'
import { moment } from '../../lib/when'
import { Table } from '../../ui/Table'

/** Failures are the last times that triggers of a version began nothing although what they wait for came: when, for what, what was wrong. */
export function Failures({ of }: { of: Schemas['WorkflowOut']['failures'] }) {
  const [last] = of
  if (!last) return null
  return (
    <details className="shrink-0">
      <summary className="danger">A trigger failed, last {moment(last.at)}: {last.problem}</summary>
      <div className="max-h-48 overflow-auto">
        <Table
          heads={['When', 'Trigger', 'Event', 'What was wrong', 'Times']}
          rows={of.map((f) => ({
            key: f.seq,
            cells: [moment(f.at), f.on, f.event ? <Link key="event" to="/log" search={{ type: f.type } as never}><code>{f.event}</code></Link> : 'the clock', f.problem, `${f.count}`],
          }))}
        />
      </div>
    </details>
  )
}
