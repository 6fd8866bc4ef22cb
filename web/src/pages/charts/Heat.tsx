import { Link } from '@tanstack/react-router'
import { behind, type ChartData } from './series'

/** Heat shows a row for each series and a column for each day: the more, the stronger. A number leads to the records behind it. */
export function Heat({ chart }: { chart: ChartData }) {
  const days = [...new Set(chart.series.flatMap((s) => s.points.map((p) => p.at)))].sort()
  const most = Math.max(1, ...chart.series.flatMap((s) => s.points.map((p) => p.value)))
  return (
    <div className="overflow-x-auto">
      <table className="tabular-nums">
        <thead><tr><th>{chart.title}</th>{days.map((d) => <th key={d} className="text-right">{d.slice(5)}</th>)}</tr></thead>
        <tbody>
          {chart.series.map((s) => (
            <tr key={s.of ?? s.name}>
              <th scope="row" className="text-left font-normal">{s.name}</th>
              {days.map((d) => {
                const p = s.points.find((q) => q.at === d)
                if (!p || p.value === 0) return <td key={d} className="text-right text-muted">·</td>
                const there = behind(p)
                const share = Math.round((p.value / most) * 55)
                return (
                  <td key={d} className="text-right" title={p.planned ? 'due in that week' : undefined} style={{ background: `color-mix(in srgb, var(--color-${p.planned ? 'link' : 'warn'}) ${share}%, transparent)` }}>
                    {there ? <Link to={there.to as never} search={((now: object) => ({ ...now, ...there.search })) as never} className="text-text">{p.value}</Link> : p.value}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
