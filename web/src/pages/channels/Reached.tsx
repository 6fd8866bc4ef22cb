import { Link } from '@tanstack/react-router'
import { usePersons } from '../../lib/who'
import { State } from '../../ui/State'
import { Table } from '../../ui/Table'

/** Reached shows in which chats each person is known, and so where a notice or an answer reaches them beside the page. */
export function Reached() {
  const q = usePersons()
  const people = (q.data ?? []).filter((p) => p.enabled)
  return (
    <section aria-label="Who is reached where">
      <h3>Who is reached where <Link to="/users" className="ml-2 text-sm font-normal">users</Link></h3>
      <State pending={q.isPending} error={q.error} empty={people.length === 0} hint="No users yet.">
        <Table
          heads={['Person', 'Role', 'Where']}
          rows={people.map((p) => ({ key: p.id, cells: [p.name, p.role, (p.identities ?? []).join(', ') || <span key="none" className="text-muted">on the page alone</span>] }))}
        />
      </State>
    </section>
  )
}
