import { Link } from '@tanstack/react-router'
import { colour } from '../../lib/colours'
import { count } from '../../lib/count'
import { day } from '../../lib/when'
import { canvasOf } from '../../ui/ChartFrame'
import { behind, type ChartData, daysOf, marked, numbered, type Point } from './series'

/** mostOf is the greatest value of a chart, 1 at least. */
const mostOf = (chart: ChartData) => Math.max(1, ...chart.series.flatMap((s) => s.points.map((p) => p.value)))

/** strength is how much of a cell its colour covers, in percent. */
const strength = (p: Point, most: number) => Math.round((p.value / most) * 55)

/** heatPicture is the picture of a heat map. */
export function heatPicture(chart: ChartData): HTMLCanvasElement {
  const days = daysOf(chart)
  const [names, cell, line] = [200, 56, 24]
  const { canvas, ctx } = canvasOf(names + days.length * cell + 10, (chart.series.length + 1) * line + 10)
  const text = (said: string, x: number, y: number, token: 'muted' | 'text') => {
    ctx.fillStyle = colour(token)
    ctx.fillText(said, x, y)
  }
  for (const [i, d] of days.entries()) text(day(d), names + i * cell, 16, 'muted')
  for (const [row, s] of chart.series.entries()) {
    const y = (row + 1) * line
    text(s.name.length > 26 ? `${s.name.slice(0, 25)}…` : s.name, 10, y + 16, 'text')
    for (const [i, d] of days.entries()) {
      const p = s.points.find((q) => q.at === d)
      if (p && p.value !== 0) {
        ctx.globalAlpha = strength(p, mostOf(chart)) / 100
        ctx.fillStyle = colour(p.planned ? 'link' : 'warn')
        ctx.fillRect(names + i * cell - 4, y, cell, line)
        ctx.globalAlpha = 1
      }
      text(p && p.value !== 0 ? String(p.value) : '·', names + i * cell, y + 16, p && p.value !== 0 ? 'text' : 'muted')
    }
  }
  return canvas
}

/** Heat shows a row for each series and a column for each day: the more, the stronger. A number leads to the records behind it. */
export function Heat({ chart }: { chart: ChartData }) {
  const days = daysOf(chart)
  const most = mostOf(chart)
  const marks = new Map(marked(days, numbered(chart)).map((m) => [m.at, m.name]))
  return (
    <div className="overflow-x-auto">
      <table className="tabular-nums">
        <thead><tr><th>{chart.title}</th>{days.map((d) => <th key={d} className="text-right">{day(d)}{marks.has(d) && <sup className="text-muted"> {marks.get(d)}</sup>}</th>)}</tr></thead>
        <tbody>
          {chart.series.map((s) => (
            <tr key={s.of ?? s.name}>
              <th scope="row" className="text-left font-normal">{s.name}</th>
              {days.map((d) => {
                const p = s.points.find((q) => q.at === d)
                const gone = p?.awayDays ? `${count(p.awayDays, 'day')} away` : ''
                const mark = gone && <span className="text-sm text-muted"> {gone}</span>
                if (!p || p.value === 0) return <td key={d} className="text-right text-muted">·{mark}</td>
                const there = behind(p)
                const share = strength(p, most)
                return (
                  <td key={d} className="text-right" title={p.planned ? 'due in that week' : undefined} style={{ background: `color-mix(in srgb, var(--color-${p.planned ? 'link' : 'warn'}) ${share}%, transparent)` }}>
                    {there ? <Link to={there.to as never} search={((now: object) => ({ ...now, ...there.search })) as never} className="text-text">{p.value}</Link> : p.value}{mark}
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
