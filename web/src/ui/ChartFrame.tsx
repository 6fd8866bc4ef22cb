import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type Colour, colour } from '../lib/colours'
import { type Cell, csv, save } from '../lib/csv'
import { useKeys } from '../lib/pane'
import { day } from '../lib/when'
import { moved, type Span, zoomed } from '../lib/zoom'
import { Table } from './Table'

/** Place is where the records behind a number are. */
export type Place = { to: string; search: { [name: string]: string } }

/** useSpan is the part of a chart's names that is shown: z and Z zoom, the arrows move; all shows all of them. */
export function useSpan(names: string[]): { shown: Span; part: boolean; all: () => void } {
  const n = names.length
  const [span, setSpan] = useState<Span>() // all of it until somebody zooms
  const shown = span && span.to < n ? span : { from: 0, to: n - 1 }
  const part = shown.to - shown.from + 1 < n
  useKeys(n > 4 ? [
    { key: 'z', does: 'zoom into the chart', act: () => setSpan(zoomed(shown, n, 'in')) }, { key: 'Z', does: 'zoom out', act: () => setSpan(zoomed(shown, n, 'out')) },
    ...(part ? [{ key: 'ArrowLeft', does: 'earlier in the chart', act: () => setSpan(moved(shown, n, -1)) }, { key: 'ArrowRight', does: 'later in the chart', act: () => setSpan(moved(shown, n, 1)) }] : []),
  ] : [], true)
  return { shown, part, all: () => setSpan(undefined) }
}

/** fontOf is the page's font on a canvas. */
export const fontOf = (ratio: number) => {
  const style = getComputedStyle(document.documentElement)
  return `${Math.round(Number.parseFloat(style.fontSize) * 0.85 * ratio)}px ${style.fontFamily}`
}

/** canvasOf is a canvas of a size in points of the page, on the ground of the look, and what draws on it. */
export function canvasOf(width: number, height: number): { canvas: HTMLCanvasElement; ctx: CanvasRenderingContext2D } {
  const canvas = document.createElement('canvas')
  canvas.width = width * devicePixelRatio
  canvas.height = height * devicePixelRatio
  const ctx = canvas.getContext('2d')
  if (!ctx) throw new Error('This browser draws no pictures; save the CSV instead.')
  ctx.scale(devicePixelRatio, devicePixelRatio)
  ctx.fillStyle = colour('bg')
  ctx.fillRect(0, 0, width, height)
  ctx.font = fontOf(1)
  return { canvas, ctx }
}

/** titled is a drawing with its title and what its colours mean above it. */
function titled(drawing: HTMLCanvasElement, title: string, means: { name: string; colour: Colour; dashed?: boolean }[]): HTMLCanvasElement {
  const top = 30
  const { canvas, ctx } = canvasOf(drawing.width / devicePixelRatio, drawing.height / devicePixelRatio + top)
  let x = 10
  for (const [text, token] of [[title, 'text'], ...means.map((m) => [`${m.dashed ? '- -' : '—'} ${m.name}`, m.colour])] as [string, Colour][]) {
    ctx.fillStyle = colour(token)
    ctx.fillText(text, x, 20)
    x += ctx.measureText(text).width + 18
  }
  ctx.drawImage(drawing, 0, top, drawing.width / devicePixelRatio, drawing.height / devicePixelRatio)
  return canvas
}

/**
 * ChartFrame is what every chart has around it: its title, the table behind it a key away, and its data as PNG and CSV. What is
 * saved is what is shown. places are those of the records behind the cells of the table, as the rows are. reset is the button of a part that is shown, caption stands beside the title, tools are further buttons, drawn is its picture.
 */
export function ChartFrame(p: {
  title: string; file: string; heads: string[]; rows: Cell[][]; places?: (Place | undefined)[][]; caption: ReactNode; means: { name: string; colour: Colour; dashed?: boolean }[]
  reset?: { name: string; act: () => void } | undefined; tools?: ReactNode; drawn: () => HTMLCanvasElement | undefined | Promise<HTMLCanvasElement | undefined>; children: ReactNode
}) {
  const [table, setTable] = useState(false)
  const [trouble, setTrouble] = useState('')
  const toggle = () => setTable((t) => !t)
  useKeys([{ key: 'v', does: 'the table behind the chart', act: toggle }])
  const png = async () => {
    try {
      const drawing = await p.drawn()
      if (drawing) titled(drawing, p.title, p.means).toBlob((b) => (b ? save(`${p.file}.png`, b) : setTrouble('The picture could not be written; save the CSV instead.')), 'image/png')
    } catch (e) {
      setTrouble((e as Error).message)
    }
  }
  const small = 'px-2 py-0'
  return (
    <figure aria-label={p.title} className="m-0 min-w-0">
      <figcaption className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <b>{p.title}</b>
        {p.caption}
        <span className="ml-auto flex gap-1">
          {p.reset && <button type="button" className={small} onClick={p.reset.act}>{p.reset.name}</button>}
          {p.tools}
          <button type="button" className={small} aria-pressed={table} onClick={toggle}>table <kbd>v</kbd></button>
          <button type="button" className={small} aria-label={`${p.title} as PNG`} onClick={() => void png()}>PNG</button>
          <button type="button" className={small} aria-label={`${p.title} as CSV`} onClick={() => save(`${p.file}.csv`, new Blob([csv(p.heads, p.rows)], { type: 'text/csv;charset=utf-8' }))}>CSV</button>
        </span>
      </figcaption>
      {trouble !== '' && <p className="danger" role="alert">{trouble}</p>}
      {p.children}
      {table && <Table heads={p.heads} rows={p.rows.map((r, i) => ({ key: i, cells: r.map((c, j) => <span key={p.heads[j]} className="tabular-nums"><Behind place={c ? p.places?.[i]?.[j] : undefined}>{typeof c === 'string' ? day(c) : c}</Behind></span>) }))} />}
    </figure>
  )
}

/** Behind leads to the records behind a number, where there are some. */
function Behind({ place, children }: { place: Place | undefined; children: ReactNode }) {
  return place ? <Link to={place.to as never} search={((now: object) => ({ ...now, ...place.search })) as never}>{children}</Link> : children
}
