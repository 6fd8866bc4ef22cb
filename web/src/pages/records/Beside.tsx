import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must } from '../../api/client'
import { useMoment } from '../../lib/moment'
import { day } from '../../lib/when'
import { Person } from '../../ui/Person'
import { Status } from '../../ui/Status'
import { Table } from '../../ui/Table'

const most = 12 // tickets

/** quoted is a value as a filter takes it. */
const quoted = (value: string) => `"${value.replace(/["\\]/g, '\\$&')}"`

/** Beside lists what goes on around a ticket: the open tickets of its sprint, else those of its owner. There is nothing to show without either, nor while what stands above it waits for the daemon: it would move. */
export function Beside(p: { project: string; id: string; sprint: string; owner: string; waits: boolean }) {
  const { asOf, query } = useMoment()
  const narrowed = p.sprint ? `sprint:${quoted(p.sprint)}` : p.owner ? `owner:${quoted(p.owner)}` : ''
  const filter = `${narrowed} -status:DONE,CLOSED`
  const q = useQuery({
    queryKey: ['ticket', p.project, 'beside', filter, asOf],
    enabled: narrowed !== '' && p.project !== '',
    queryFn: () => must(api.GET('/api/projects/{project}/tickets', { params: { path: { project: p.project }, query: { ...query, filter, sort: 'due,-updated', limit: most + 1 } } })),
  })
  const others = (q.data?.items ?? []).filter((t) => t.id !== p.id)
  if (others.length === 0 || p.waits) return null
  return (
    <section aria-label="Beside it">
      <h3>{p.sprint ? `Also open in ${p.sprint}` : `Also open with ${p.owner}`} <Link to="/tickets" search={{ project: p.project, filter } as never} className="ml-2 text-sm font-normal">all {q.data?.total}</Link></h3>
      <Table
        heads={['Key', 'Title', 'Status', 'Owner', 'Due']}
        rows={others.slice(0, most).map((t) => ({ key: t.id, cells: [<span key="key" className="text-accent">{t.body.externalRef}</span>, <Link key="title" to="/records/$id" params={{ id: t.id }}>{t.body.title}</Link>, <Status key="status" of={t.body.status} />, <Person key="owner" name={t.owner} />, day(t.body.dueDate)] }))}
      />
    </section>
  )
}
