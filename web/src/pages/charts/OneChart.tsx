import { useQueries, useQuery } from '@tanstack/react-query'
import { api, must } from '../../api/client'
import { useMoment } from '../../lib/moment'
import { Chart } from '../../ui/Chart'
import { overDays, read } from './series'

/** tall is the height of a chart below other things. */
const tall = 260

type Name = 'cost' | 'burn-up' | 'throughput'

/** asked is how a chart of the last thirteen weeks is asked for. */
const asked = (project: string, name: Name, asOf: string) => ({
  queryKey: ['counts', project, 'chart', name, '13w', asOf],
  enabled: project !== '',
  queryFn: async () => read(await must(api.GET('/api/projects/{project}/charts/{name}', { params: { path: { project, name }, query: { from: '13w', ...(asOf && { asOf }) } } }))),
})

/** OneChart draws a chart of lines of a project, of the last thirteen weeks, below what a view is about; nothing when there is nothing to draw. */
export function OneChart({ project, name }: { project: string; name: Name }) {
  const { asOf } = useMoment()
  const chart = useQuery(asked(project, name, asOf)).data
  return chart ? <Drawn of={chart} /> : null
}

/** Charts are several of them, one below the other. They are shown together when all are there, so that none moves another. */
export function Charts({ project, names }: { project: string; names: readonly Name[] }) {
  const { asOf } = useMoment()
  const all = useQueries({ queries: names.map((name) => asked(project, name, asOf)) })
  if (all.some((q) => q.isPending)) return null
  return all.map((q) => q.data && <Drawn key={q.data.name} of={q.data} />)
}

function Drawn({ of: chart }: { of: ReturnType<typeof read> }) {
  if (chart.series.every((s) => s.points.length === 0)) return null
  return (
    <section aria-label={chart.title} className="mt-6">
      <h3>{chart.title}</h3>
      <p className="text-muted">{chart.says}</p>
      <Chart title={chart.title} file={chart.name} head="Day" height={tall} {...overDays(chart)} />
    </section>
  )
}
