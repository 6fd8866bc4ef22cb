import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must } from '../api/client'
import { useProject } from '../lib/project'
import { State } from '../ui/State'

/** People shows who has room, as computed, and who could take what. */
export function People() {
  const [project] = useProject()
  const q = useQuery({
    queryKey: ['capacity', project],
    enabled: project !== '',
    queryFn: () => must(api.GET('/api/projects/{project}/capacity', { params: { path: { project } } })),
  })
  return (
    <section>
      <h2>People and capacity</h2>
      <State pending={q.isPending} error={q.error} empty={q.data?.resources?.length === 0} hint="No people yet. They come from minutes and exports: see Intake.">
        <p className="muted">Hours are a week's: capacity × availability. {q.data?.assigned} of {q.data?.openTickets} open tickets have somebody.</p>
        <table>
          <thead><tr><th>Name</th><th>Role</th><th>Hours</th><th>Spare</th><th>Allocated</th><th>Open tickets</th><th>Points</th><th>Load</th></tr></thead>
          <tbody>
            {(q.data?.resources ?? []).map((l) => (
              <tr key={l.resourceId}>
                <td><Link to="/records/$id" params={{ id: l.resourceId }}>{l.name}</Link></td>
                <td>{l.role}</td><td>{l.effectiveHours}</td>
                <td><meter min={0} max={l.effectiveHours || 1} value={l.spareCapacity} /> {l.spareCapacity}</td>
                <td>{l.allocatedPercent}%</td><td>{l.tickets}</td><td>{l.allocatedSP}</td><td className={l.load === 'OVERLOADED' ? 'bad' : ''}>{l.load}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {(q.data?.suggestions ?? []).length > 0 && <h3>Who could take what</h3>}
        {(q.data?.suggestions ?? []).map((s) => (
          <p key={s.ticketId}><Link to="/records/$id" params={{ id: s.ticketId }}>{s.title}</Link>: {s.name} <span className="muted">({(s.reasons ?? []).join(', ')})</span></p>
        ))}
      </State>
    </section>
  )
}
