import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { api, must, Problem, type Schemas } from '../../api/client'
import { about } from '../../lib/load'
import { useMoment } from '../../lib/moment'
import { useRows } from '../../lib/rows'
import { Bar } from '../../ui/Bar'
import { State } from '../../ui/State'
import { Table } from '../../ui/Table'
import { Change, Head } from './Head'

type Line = Schemas['CapacityLine']

/** taken is how much of somebody's time is given to tickets, or estimated where no share is given. */
const taken = (l: Line | undefined) => Math.round(l?.estimatedPercent ?? l?.allocatedPercent ?? 0)

/** useLoads are the loads of people at a moment; before there was a project nobody had one. */
function useLoads(project: string, asOf: string) {
  return useQuery({
    queryKey: ['capacity', project, asOf, 'lines'],
    queryFn: async () => {
      try {
        return (await must(api.GET('/api/projects/{project}/capacity', { params: { path: { project }, query: asOf === '' ? {} : { asOf } } }))).resources ?? []
      } catch (e) {
        if (e instanceof Problem && e.status === 404) return []
        throw e
      }
    },
  })
}

/** People are the loads of people then and now, the most changed first. */
export function People({ project }: { project: string }) {
  const navigate = useNavigate()
  const { asOf, since } = useMoment()
  const then = useLoads(project, since)
  const now = useLoads(project, asOf)
  const was = new Map((then.data ?? []).map((l) => [l.resourceId, l]))
  const is = new Map((now.data ?? []).map((l) => [l.resourceId, l]))
  const by = (id: string) => Math.abs(taken(is.get(id)) - taken(was.get(id)))
  const ids = [...new Set([...was.keys(), ...is.keys()])].sort((a, b) => by(b) - by(a))
  const whole = Math.max(100, ...[...was.values(), ...is.values()].map(taken))
  const { row } = useRows(ids, { Enter: { does: 'open the person', act: (id) => void navigate({ to: '/records/$id', params: { id }, search: { since: undefined } } as never) } })
  const bar = (l: Line | undefined, what: string, faint: boolean) => (
    <span className="flex min-w-[12ch] items-baseline gap-2 tabular-nums"><Bar label={`${taken(l)}% ${what}`} whole={whole} mark={100} parts={[{ value: taken(l), colour: l?.load === 'OVERLOADED' ? 'danger' : 'live', faint }]} />{l ? `${about(l, 'about ')}${taken(l)}%` : '–'}</span>
  )
  return (
    <section aria-label="Differences of people">
      <Head title="Load of people" />
      <State pending={then.isPending || now.isPending} error={then.error ?? now.error} empty={ids.length === 0} hint="There were no people at either moment.">
        <Table
          heads={['Name', 'Load then', 'Load now', 'Change', 'Open tickets', { name: 'Points', from: 64 }]}
          rows={ids.map((id) => {
            const [a, b] = [was.get(id), is.get(id)]
            const change = taken(b) - taken(a)
            return {
              key: id, on: row(id),
              cells: [
                <span key="name" className="whitespace-nowrap"><Link to="/records/$id" params={{ id }} search={{ since: undefined } as never}>{(b ?? a)?.name}</Link>{!a && <span className="text-up"> + came</span>}{!b && <span className="text-danger"> − left</span>}</span>,
                bar(a, 'then', true), bar(b, 'now', false),
                <span key="by" className={`whitespace-nowrap tabular-nums ${change === 0 ? 'text-muted' : change > 0 ? 'text-warn' : 'text-up'}`}>{change > 0 ? '+' : ''}{change} %</span>,
                <Change key="open" was={a?.tickets ?? 0} is={b?.tickets ?? 0} />, <Change key="sp" was={a?.allocatedSP ?? 0} is={b?.allocatedSP ?? 0} />,
              ],
            }
          })}
        />
      </State>
    </section>
  )
}
