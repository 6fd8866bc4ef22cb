import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import { type Colour, colour } from '../lib/colours'
import { csv, save } from '../lib/csv'
import { useKeys } from '../lib/pane'
import { moved, type Span, zoomed } from '../lib/zoom'
import { Table } from './Table'

const Plot = lazy(() => import('./Plot'))

/** Line is one line of a chart: a value for each name below it, or null for none. */
export type Line = { name: string; values: (number | null)[]; colour: Colour; dashed?: boolean; filled?: boolean }

/** picture is the canvas of a chart with its title and what its lines mean, on the ground of the look. */
function picture(plot: HTMLCanvasElement, title: string, lines: Line[]): HTMLCanvasElement {
  const ratio = devicePixelRatio
  const top = 30 * ratio
  const out = document.createElement('canvas')
  out.width = plot.width
  out.height = plot.height + top
  const ctx = out.getContext('2d')
  if (!ctx) throw new Error('This browser draws no pictures; save the CSV instead.')
  ctx.fillStyle = colour('bg')
  ctx.fillRect(0, 0, out.width, out.height)
  ctx.font = `${12 * ratio}px ${getComputedStyle(document.documentElement).fontFamily}`
  let x = 10 * ratio
  for (const [text, token] of [[title, 'text'], ...lines.map((l) => [`— ${l.name}`, l.colour])] as [string, Colour][]) {
    ctx.fillStyle = colour(token)
    ctx.fillText(text, x, 20 * ratio)
    x += ctx.measureText(text).width + 18 * ratio
  }
  ctx.drawImage(plot, 0, top)
  return out
}

/**
 * Chart draws lines over names such as days, with the table behind it a key away and its data
 * as PNG and CSV. z and Z zoom, the arrows move, and what is saved is what is shown. head is what the names are; mark is the name at which a line stands,
 * tools are further buttons.
 */
export function Chart(whole: { title: string; file: string; head: string; names: string[]; lines: Line[]; mark?: { at: string; name: string }; tools?: ReactNode }) {
  const n = whole.names.length
  const [span, setSpan] = useState<Span>() // all of it until somebody zooms
  const all = { from: 0, to: n - 1 }
  const shown = span && span.to < n ? span : all
  const p = { ...whole, names: whole.names.slice(shown.from, shown.to + 1), lines: whole.lines.map((l) => ({ ...l, values: l.values.slice(shown.from, shown.to + 1) })) }
  const part = p.names.length < n
  useKeys(n > 4 ? [
    { key: 'z', does: 'zoom into the chart', act: () => setSpan(zoomed(shown, n, 'in')) }, { key: 'Z', does: 'zoom out', act: () => setSpan(zoomed(shown, n, 'out')) },
    ...(part ? [{ key: 'ArrowLeft', does: 'earlier in the chart', act: () => setSpan(moved(shown, n, -1)) }, { key: 'ArrowRight', does: 'later in the chart', act: () => setSpan(moved(shown, n, 1)) }] : []),
  ] : [], true)
  const [table, setTable] = useState(false)
  const [point, setPoint] = useState<number>()
  const [trouble, setTrouble] = useState('')
  const canvas = useRef<HTMLCanvasElement | null>(null)
  const toggle = () => setTable((t) => !t)
  useKeys([{ key: 'v', does: 'the table behind the chart', act: toggle }])
  const heads = [p.head, ...p.lines.map((l) => l.name)]
  const rows = p.names.map((name, i) => [name, ...p.lines.map((l) => l.values[i] ?? null)])
  const last = Math.max(...p.lines.map((l) => l.values.findLastIndex((v) => v !== null)))
  const at = point ?? last
  const markAt = p.mark ? p.names.indexOf(p.mark.at) : -1
  const png = () => {
    if (!canvas.current) return
    try {
      picture(canvas.current, p.title, p.lines).toBlob((b) => (b ? save(`${p.file}.png`, b) : setTrouble('The picture could not be written; save the CSV instead.')), 'image/png')
    } catch (e) {
      setTrouble((e as Error).message)
    }
  }
  const small = 'px-2 py-0'
  return (
    <figure aria-label={p.title} className="m-0 min-w-0">
      <figcaption className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <b>{p.title}</b>
        <span className="text-muted tabular-nums">{p.names[at]}</span>
        {p.lines.map((l) => (
          <span key={l.name} className="tabular-nums"><span aria-hidden="true" style={{ color: `var(--color-${l.colour})` }}>■</span> {l.name} {l.values[at] ?? ''}</span>
        ))}
        <span className="ml-auto flex gap-1">
          {part && <button type="button" className={small} onClick={() => setSpan(undefined)}>{p.names[0]} to {p.names.at(-1)}: all</button>}
          {p.tools}
          <button type="button" className={small} aria-pressed={table} onClick={toggle}>table <kbd>v</kbd></button>
          <button type="button" className={small} aria-label={`${p.title} as PNG`} onClick={png}>PNG</button>
          <button type="button" className={small} aria-label={`${p.title} as CSV`} onClick={() => save(`${p.file}.csv`, new Blob([csv(heads, rows)], { type: 'text/csv;charset=utf-8' }))}>CSV</button>
        </span>
      </figcaption>
      {trouble !== '' && <p className="danger" role="alert">{trouble}</p>}
      <div role="img" aria-label={`${p.title}: ${p.lines.map((l) => `${l.name} ${l.values[last] ?? 'nothing'}`).join(', ')} at ${p.names[last] ?? 'no day'}. The table behind it says all of it.`}>
        <Suspense fallback={<div style={{ height: 240 }} />}>
          <Plot
            names={p.names} lines={p.lines} onPoint={setPoint}
            onCanvas={(c) => {
              canvas.current = c
            }}
            {...(p.mark && markAt >= 0 ? { mark: { at: markAt, name: p.mark.name } } : {})}
          />
        </Suspense>
      </div>
      {table && <Table heads={heads} rows={rows.map((r, i) => ({ key: i, cells: r.map((c, j) => <span key={heads[j]} className="tabular-nums">{c}</span>) }))} />}
    </figure>
  )
}
