import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { colour, faded, useLook } from '../lib/colours'
import { figure } from '../lib/count'
import { type Laid, layLabels } from '../lib/labels'
import type { Line } from './Chart'
import { fontOf } from './ChartFrame'

const rowHeight = 15

/** marker draws a dashed line at a place of the x axis, and its name above the plot. */
function marker(u: uPlot, { at, name, quiet }: Place, laid: Laid) {
  const x = Math.round(u.valToPos(at, 'x', true))
  const { ctx, bbox } = u
  ctx.save()
  ctx.strokeStyle = ctx.fillStyle = colour(quiet ? 'muted' : 'warn')
  ctx.lineWidth = (quiet ? 1 : 2) * devicePixelRatio
  ctx.setLineDash((quiet ? [2, 5] : [4, 4]).map((n) => n * devicePixelRatio))
  ctx.beginPath()
  ctx.moveTo(x, bbox.top)
  ctx.lineTo(x, bbox.top + bbox.height)
  ctx.stroke()
  ctx.textAlign = 'left'
  ctx.textBaseline = 'alphabetic'
  ctx.font = fontOf(devicePixelRatio)
  ctx.fillText(name, bbox.left + laid.left * devicePixelRatio, bbox.top - (4 + laid.row * rowHeight) * devicePixelRatio)
  ctx.restore()
}

const yAxis = 52
const besides = 24 // at the right, for half of the last name below

/** laidOut lays the names of marks over a plot, in a chart of a width. */
function laidOut(marks: Place[], names: number, width: number): Laid[] {
  const ctx = document.createElement('canvas').getContext('2d')
  if (ctx) ctx.font = fontOf(1)
  const room = Math.max(width - yAxis - besides, 1)
  const wide = (name: string) => ctx?.measureText(name).width ?? name.length * 8
  return layLabels(marks.map((m) => ({ x: names === 1 ? room / 2 : (m.at / (names - 1)) * room, width: wide(m.name) })), 0, room)
}

function options(p: Props, width: number): uPlot.Options {
  const axis = { stroke: colour('muted'), grid: { stroke: colour('line'), width: 0.5 }, ticks: { stroke: colour('line'), width: 0.5 }, font: fontOf(1) }
  const n = p.names.length
  const laid = (u: uPlot) => laidOut(p.marks, n, u.width)
  return {
    width, height: p.height,
    padding: [p.marks.length > 0 ? (u) => 4 + rowHeight * Math.max(...laid(u).map((l) => l.row + 1)) : null, besides, null, null],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: { x: { time: false, range: n === 1 ? [-1, 1] : [0, n - 1] }, y: { range: (_, _min, max) => [0, max > 0 ? max * 1.08 : 1] } },
    axes: [
      { ...axis, space: 84, incrs: [1, 2, 5, 7, 14, 28, 56, 112], values: (_, at) => at.map((i) => p.names[i] ?? '') },
      { ...axis, size: yAxis, space: 36, values: (_, at) => at.map(figure) },
    ],
    series: [
      {},
      ...p.lines.map((l) => ({
        label: l.name, stroke: colour(l.colour), width: 2, points: { show: n < 40, size: 5, fill: colour('bg'), stroke: colour(l.colour) },
        ...(l.dashed && { dash: [6, 4] }), ...(l.filled && { fill: faded(colour(l.colour)) }),
      })),
    ],
    hooks: {
      draw: p.marks.map((m, i) => (u) => marker(u, m, laid(u)[i] ?? { left: 0, row: 0 })),
      setCursor: [(u) => p.onPoint(u.cursor.idx ?? undefined)],
    },
  }
}

type Place = { at: number; name: string; quiet?: boolean }
type Props = { names: string[]; lines: Line[]; marks: Place[]; height: number; onPoint: (i: number | undefined) => void; onCanvas: (c: HTMLCanvasElement | null) => void }

/** Plot draws lines over names, in the look of now; see [Chart], which shows it. */
export default function Plot(p: Props) {
  const box = useRef<HTMLDivElement>(null)
  const look = useLook()
  const now = useRef(p)
  now.current = p
  const said = JSON.stringify([p.names, p.lines, p.marks, p.height])
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is drawn anew when what it says or the look changes
  useEffect(() => {
    const el = box.current
    if (!el) return
    const { names, lines, onCanvas } = now.current
    const u = new uPlot(options({ ...now.current, onPoint: (i) => now.current.onPoint(i) }, Math.max(el.clientWidth, 100)), [names.map((_, i) => i), ...lines.map((l) => l.values)], el)
    onCanvas(u.ctx.canvas)
    const sized = new ResizeObserver(() => {
      if (el.clientWidth > 0 && el.clientWidth !== u.width) u.setSize({ width: el.clientWidth, height: now.current.height })
    })
    sized.observe(el)
    return () => {
      sized.disconnect()
      onCanvas(null)
      u.destroy()
    }
  }, [said, look])
  return <div ref={box} className="w-full min-w-0 overflow-hidden" style={{ height: p.height }} />
}
