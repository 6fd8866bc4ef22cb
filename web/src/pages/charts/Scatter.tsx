import { Link } from '@tanstack/react-router'
import type { Ref } from 'react'
import { day } from '../../lib/when'
import { behind, type ChartData, daysOf, hue, marked, numbered, percentiles, scaled } from './series'

const width = 900
const height = 330
const left = 40
const bottom = 24

const time = (day: string) => Date.parse(`${day}T00:00:00Z`)

/** Scatter shows a point for each ticket, by its day and its value; a press opens the ticket. The lines are what to compare with. */
export function Scatter({ chart, ref }: { chart: ChartData; ref?: Ref<SVGSVGElement> }) {
  const points = chart.series.flatMap((s, i) => s.points.map((p, n) => ({ ...p, id: `${s.name} ${n}`, colour: hue(s.name, i), says: `${s.name} ${day(p.at)}: ${p.value} ${chart.unit}` })))
  const lines = percentiles(chart)
  const top = Math.max(1, ...points.map((p) => p.value), ...lines.map((l) => l.value)) * 1.08
  const from = Math.min(...points.map((p) => time(p.at)))
  const to = Math.max(...points.map((p) => time(p.at)))
  const y = (value: number) => height - bottom - scaled(value, 0, top, height - bottom - 8)
  const x = (day: string) => left + 8 + scaled(time(day), from, to, width - left - 24)
  const days = daysOf(chart)
  const named = days.filter((_, i) => i % Math.max(1, Math.ceil(days.length / 8)) === 0)
  return (
    <svg ref={ref} viewBox={`0 0 ${width} ${height}`} className="w-full" role="img" aria-label={`${chart.title}: ${points.length} tickets, at most ${Math.max(0, ...points.map((p) => p.value))} ${chart.unit}.`}>
      {[0, 0.25, 0.5, 0.75, 1].map((part) => (
        <g key={part}>
          <line x1={left} x2={width} y1={y(top * part)} y2={y(top * part)} stroke="var(--color-line)" strokeWidth="0.5" />
          <text x={left - 6} y={y(top * part) + 4} textAnchor="end" fontSize="11" fill="var(--color-muted)">{Math.round(top * part)}</text>
        </g>
      ))}
      {named.map((d) => <text key={d} x={x(d)} y={height - 8} textAnchor="middle" fontSize="11" fill="var(--color-muted)">{day(d)}</text>)}
      {lines.map((l) => (
        <g key={l.name}>
          <line x1={left} x2={width} y1={y(l.value)} y2={y(l.value)} stroke="var(--color-warn)" strokeDasharray="6 4" />
          <text x={width - 4} y={y(l.value) - 4} textAnchor="end" fontSize="11" fill="var(--color-warn)">{l.name} {l.value}</text>
        </g>
      ))}
      {marked(days, numbered(chart)).map((m) => (
        <g key={m.at}>
          <line x1={x(m.at)} x2={x(m.at)} y1={8} y2={height - bottom} stroke="var(--color-muted)" strokeDasharray="2 5" />
          <text x={x(m.at) + 4} y={14} fontSize="11" fill="var(--color-muted)">{m.name}</text>
        </g>
      ))}
      {points.map((p) => <Dot key={p.id} at={[x(p.at), y(p.value)]} colour={p.colour} says={p.says} there={behind(p)} />)}
    </svg>
  )
}

function Dot({ at: [x, y], colour, says, there }: { at: [number, number]; colour: string; says: string; there: ReturnType<typeof behind> }) {
  const dot = <circle cx={x} cy={y} r="4.5" fill={`var(--color-${colour})`} fillOpacity="0.75"><title>{says}</title></circle>
  if (!there) return dot
  return <Link to={there.to as never} search={((now: object) => ({ ...now, ...there.search })) as never} aria-label={says} tabIndex={-1}>{dot}</Link>
}
