import { useVirtualizer } from '@tanstack/react-virtual'
import { type HTMLAttributes, type ReactNode, useDeferredValue, useEffect, useRef } from 'react'
import { usePane } from '../lib/pane'
import { hiding } from './columns'

/** usual is the height of a row that was not measured yet, in pixels. */
const usual = 26

/** Place is what belongs on the element of a row that the keyboard can choose; see useRows. */
type Place = HTMLAttributes<HTMLElement> & { ref: (el: HTMLElement | null) => void }

/** Width is how a column takes room: a line is as wide as its cells, a name as well but no wider than most names are, the rest is what is left and cuts what is longer, text wraps. */
type Width = 'line' | 'name' | 'rest' | 'text'

/** Head is a column, a line unless it says otherwise; from hides it in panes that are narrower. A name alone is a column of text. */
export type Head = { name: string; width?: Width; from?: keyof typeof hiding; sort?: { dir: 'ascending' | 'descending' | 'none'; by: () => void } }

/** marks show how a column is sorted. */
const marks = { ascending: ' ↑', descending: ' ↓', none: '' }

const widths: { [width in Width]: string } = { line: 'whitespace-nowrap', name: 'whitespace-nowrap @min-[481px]:max-w-[22ch] @min-[481px]:truncate', rest: '@min-[481px]:w-full @min-[481px]:min-w-[20ch] @min-[481px]:max-w-0 @min-[481px]:truncate', text: '' }

const headOf = (h: string | Head): Head => (typeof h === 'string' ? { name: h, width: 'text' } : h)
const classOf = (h: Head | undefined) => h && `${widths[h.width ?? 'line']} ${h.from ? hiding[h.from] : ''}`

/**
 * LongTable is a table of any length: only the rows that can be seen are in the page. row
 * returns the cells of a row, or one cell over its whole width. onEnd is called when the last
 * rows come into view. In a narrow pane, a compact one has its cells beside each other, without heads.
 */
export function LongTable(p: {
  heads: (string | Head)[]
  count: number
  rowKey: (i: number) => string
  row: (i: number) => ReactNode[] | { whole: ReactNode }
  place: (key: string) => Place
  marked?: (i: number) => boolean
  onEnd?: () => void
  compact?: boolean
}) {
  const heads = p.heads.map(headOf)
  const body = useRef<HTMLTableSectionElement>(null)
  const { scroller } = usePane()
  const rows = useVirtualizer({
    count: p.count,
    getScrollElement: scroller,
    estimateSize: () => usual,
    getItemKey: p.rowKey,
    overscan: useDeferredValue(10, 0), // what is out of sight is drawn after what is seen
    scrollMargin: body.current?.offsetTop ?? 0,
  })
  const { count, onEnd } = p
  const seen = rows.getVirtualItems()
  const last = seen.at(-1)
  const end = last ? last.index : -1
  useEffect(() => {
    if (end >= count - 40) onEnd?.()
  }, [end, count, onEnd])
  const margin = rows.options.scrollMargin
  const above = (seen[0]?.start ?? margin) - margin
  const below = last ? rows.getTotalSize() - (last.end - margin) : 0
  return (
    <table aria-rowcount={p.count + 1} className={`${p.compact ? 'compact' : ''} ${seen.length === 0 && p.count > 0 ? 'invisible' : ''}`}>
      <thead className="sticky -top-[.75rem] z-1 bg-bg">
        <tr>
          {heads.map((h) => (
            <th key={h.name} className={classOf(h)} aria-sort={h.sort?.dir}>
              {h.sort ? <button type="button" className="plain" onClick={h.sort.by}>{h.name}{marks[h.sort.dir]}</button> : h.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {above > 0 && <tr style={{ height: above }} />}
        {seen.map((v) => {
          const cells = p.row(v.index)
          const { ref, className, ...place } = p.place(p.rowKey(v.index))
          const both = (el: HTMLTableRowElement | null) => {
            ref(el)
            rows.measureElement(el)
          }
          return (
            <tr key={v.key} {...place} ref={both} data-index={v.index} aria-rowindex={v.index + 2} className={`${className} scroll-my-10 ${p.marked?.(v.index) ? 'bg-marked' : ''}`}>
              {Array.isArray(cells) ? cells.map((cell, i) => <td key={i} data-head={heads[i]?.name} className={classOf(heads[i])}>{cell}</td>) : <td colSpan={p.heads.length} className="@max-[480px]:pl-0!">{cells.whole}</td>}
            </tr>
          )
        })}
        {below > 0 && <tr style={{ height: below }} />}
      </tbody>
    </table>
  )
}
