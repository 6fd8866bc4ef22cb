import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'

/** usual is the height of a row that was not measured yet, in pixels. */
const usual = 26

/**
 * LongTable is a table of any length: only the rows that can be seen are in the page. row
 * returns the cells of a row, or one cell over its whole width. onEnd is called when the last
 * rows come into view.
 */
export function LongTable(p: {
  heads: string[]
  count: number
  rowKey: (i: number) => string
  row: (i: number) => ReactNode[] | { whole: ReactNode }
  chosen: number
  marked?: (i: number) => boolean
  onChoose: (i: number) => void
  onEnd?: () => void
}) {
  const body = useRef<HTMLTableSectionElement>(null)
  const rows = useVirtualizer({
    count: p.count,
    getScrollElement: () => document.querySelector('main'),
    estimateSize: () => usual,
    getItemKey: p.rowKey,
    overscan: 20,
    scrollMargin: body.current?.offsetTop ?? 0,
  })
  const { chosen, count, onEnd } = p
  useEffect(() => {
    if (chosen >= 0) rows.scrollToIndex(chosen, { align: 'auto' })
  }, [chosen, rows])
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
    <table aria-rowcount={p.count + 1}>
      <thead className="sticky -top-[1.08rem] z-1 bg-bg">
        <tr>{p.heads.map((h) => <th key={h}>{h}</th>)}</tr>
      </thead>
      <tbody ref={body}>
        {above > 0 && <tr style={{ height: above }} />}
        {seen.map((v) => {
          const cells = p.row(v.index)
          const look = `${v.index === chosen ? 'bg-chosen' : ''} ${p.marked?.(v.index) ? 'text-accent' : ''}`
          return (
            <tr key={v.key} ref={rows.measureElement} data-index={v.index} aria-rowindex={v.index + 2} aria-current={v.index === chosen || undefined} className={look} onClick={() => p.onChoose(v.index)}>
              {Array.isArray(cells) ? cells.map((cell, i) => <td key={i} data-head={p.heads[i]}>{cell}</td>) : <td colSpan={p.heads.length} className="max-sm:pl-0!">{cells.whole}</td>}
            </tr>
          )
        })}
        {below > 0 && <tr style={{ height: below }} />}
      </tbody>
    </table>
  )
}
