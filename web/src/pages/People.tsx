import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must } from '../api/client'
import { State } from '../ui/State'
import { Table } from '../ui/Table'

/** People shows who has room, as computed, and who could take what. */
export function People({ project }: { project: string }) {
  const q = useQuery({
    queryKey: ['capacity', project],
    queryFn: () => must(api.GET('/api/projects/{project}/capacity', { params: { path: { project } } })),
  })
  return (
    <section>
      <h2>People and capacity</h2>
      <State pending={q.isPending} error={q.error} empty={q.data?.resources?.length === 0} hint="No people yet. They come from minutes and exports: see Intake.">
        <p className="muted">Hours are a week's: capacity × availability. {q.data?.assigned} of {q.data?.openTickets} open tickets have somebody.</p>
        <Table
          heads={['Name', 'Role', 'Hours', 'Spare', 'Allocated', 'Open tickets', 'Points', 'Load']}
          rows={(q.data?.resources ?? []).map((l) => ({
            key: l.resourceId,
            cells: [
              <Link key="name" to="/records/$id" params={{ id: l.resourceId }}>{l.name}</Link>, l.role, l.effectiveHours,
              <span key="spare"><meter aria-label="Spare hours" min={0} max={l.effectiveHours || 1} value={l.spareCapacity} /> {l.spareCapacity}</span>,
              `${l.allocatedPercent}%`, l.tickets, l.allocatedSP, <span key="load" className={l.load === 'OVERLOADED' ? 'bad' : ''}>{l.load}</span>,
            ],
          }))}
        />
        {(q.data?.suggestions ?? []).length > 0 && <h3>Who could take what</h3>}
        {(q.data?.suggestions ?? []).map((s) => (
          <p key={s.ticketId}><Link to="/records/$id" params={{ id: s.ticketId }}>{s.title}</Link>: {s.name} <span className="muted">({(s.reasons ?? []).join(', ')})</span></p>
        ))}
      </State>
    </section>
  )
}
