import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import type { Colour } from '../lib/colours'
import { figure } from '../lib/count'
import { day } from '../lib/when'
import { ChartFrame, type Place, useSpan } from './ChartFrame'

const Plot = lazy(() => import('./Plot'))

/** Line is one line of a chart: a value for each name below it, or null for none, and the places of the records behind them. */
export type Line = { name: string; values: (number | null)[]; places?: (Place | undefined)[]; colour: Colour; dashed?: boolean; filled?: boolean }

/** Mark is a line at one of a chart's names, such as today; a quiet one is a number, which something beside the chart explains. */
export type Mark = { at: string; name: string; quiet?: boolean }

/**
 * Chart draws lines over names such as days; see [ChartFrame] for what is around it. head is what the names are,
 * marks are names at which lines stand, height is that of the plot in points of the page, tools are further buttons.
 */
export function Chart({ height = 240, ...whole }: { title: string; file: string; head: string; names: string[]; lines: Line[]; marks?: Mark[]; tools?: ReactNode; height?: number }) {
  const { shown, part, all } = useSpan(whole.names)
  const p = { ...whole, names: whole.names.slice(shown.from, shown.to + 1), lines: whole.lines.map((l) => ({ ...l, values: l.values.slice(shown.from, shown.to + 1), places: l.places?.slice(shown.from, shown.to + 1) ?? [] })) }
  const [point, setPoint] = useState<number>()
  const canvas = useRef<HTMLCanvasElement | null>(null)
  const last = Math.max(...p.lines.map((l) => l.values.findLastIndex((v) => v !== null)))
  const at = point ?? last
  return (
    <ChartFrame
      title={p.title} file={p.file} heads={[p.head, ...p.lines.map((l) => l.name)]} rows={p.names.map((name, i) => [name, ...p.lines.map((l) => l.values[i] ?? null)])}
      places={p.names.map((_, i) => [undefined, ...p.lines.map((l) => l.places[i])])} means={p.lines} tools={p.tools} drawn={() => canvas.current ?? undefined} reset={part ? { name: `${day(p.names[0])} to ${day(p.names.at(-1))}: all`, act: all } : undefined}
      caption={
        <>
          <span className="text-muted tabular-nums">{day(p.names[at])}</span>
          {p.lines.map((l) => (
            <span key={l.name} className="tabular-nums"><span aria-hidden="true" style={{ color: `var(--color-${l.colour})` }}>{l.dashed ? '□' : '■'}</span> {l.name} {typeof l.values[at] === 'number' ? figure(l.values[at]) : ''}</span>
          ))}
        </>
      }
    >
      <div role="img" aria-label={`${p.title}: ${p.lines.map((l) => `${l.name} ${l.values[last] ?? 'nothing'}`).join(', ')} at ${day(p.names[last]) || 'no day'}. The table behind it says all of it.`}>
        <Suspense fallback={<div style={{ height }} />}>
          <Plot
            names={p.names.map((n) => day(n))} lines={p.lines} height={height} onPoint={setPoint}
            onCanvas={(c) => {
              canvas.current = c
            }}
            marks={(p.marks ?? []).map((m) => ({ ...m, at: p.names.indexOf(m.at) })).filter((m) => m.at >= 0)}
          />
        </Suspense>
      </div>
    </ChartFrame>
  )
}
