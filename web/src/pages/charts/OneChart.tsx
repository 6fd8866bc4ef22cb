import { useQuery } from '@tanstack/react-query'
import { api, must } from '../../api/client'
import { useMoment } from '../../lib/moment'
import { Chart } from '../../ui/Chart'
import { overDays, read } from './series'

/** tall is the height of a chart below other things. */
const tall = 260

/** OneChart draws a chart of lines of a project, of the last thirteen weeks, below what a view is about; nothing when there is nothing to draw. */
export function OneChart({ project, name }: { project: string; name: 'cost' | 'burn-up' | 'throughput' }) {
  const { asOf } = useMoment()
  const chart = useQuery({
    queryKey: ['counts', project, 'chart', name, '13w', asOf],
    enabled: project !== '',
    queryFn: async () => read(await must(api.GET('/api/projects/{project}/charts/{name}', { params: { path: { project, name }, query: { from: '13w', ...(asOf && { asOf }) } } }))),
  }).data
  if (!chart || chart.series.every((s) => s.points.length === 0)) return null
  return (
    <section aria-label={chart.title} className="mt-6">
      <h3>{chart.title}</h3>
      <p className="text-muted">{chart.says}</p>
      <Chart title={chart.title} file={chart.name} head="Day" height={tall} {...overDays(chart)} />
    </section>
  )
}
