import { useVirtualizer } from '@tanstack/react-virtual'
import { type AriaRole, type HTMLAttributes, type ReactNode, useDeferredValue, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { usePane } from '../lib/pane'

/** mostRefs bounds how many rows are remembered; those that are seen are remembered again. */
const mostRefs = 1_000

/** leave has a map keep what is of the rows of a list, and nothing else. */
export function leave(map: Map<unknown, unknown>, count: number, rowKey: (i: number) => string) {
  const there = new Set<unknown>()
  for (let i = 0; i < count; i++) there.add(rowKey(i))
  for (const key of map.keys()) if (!there.has(key)) map.delete(key)
}

/** Place is what belongs on the element of a row that the keyboard can choose; see useRows. */
type Place = HTMLAttributes<HTMLElement> & { ref: (el: HTMLElement | null) => void }

/**
 * LongList is a list of any length whose rows are as high as what is in them: only the rows
 * that can be seen are in the page. about returns what else belongs on a row's element.
 * onEnd is called when the last rows come into view. While it is pinned, its first rows stay
 * in view when others come before them.
 */
export function LongList(p: {
  label: string
  count: number
  rowKey: (i: number) => string
  row: (i: number) => ReactNode
  place: (key: string) => Place
  role?: AriaRole
  rowRole?: AriaRole
  about?: (i: number) => HTMLAttributes<HTMLElement>
  height?: number
  pinned?: boolean
  onEnd?: () => void
}) {
  const list = useRef<HTMLDivElement>(null)
  const { scroller } = usePane()
  const [margin, setMargin] = useState(0)
  const rows = useVirtualizer({
    count: p.count,
    getScrollElement: scroller,
    estimateSize: () => p.height ?? 24,
    getItemKey: p.rowKey,
    overscan: useDeferredValue(10, 0), // what is out of sight is drawn after what is seen
    scrollMargin: margin,
  })
  rows.shouldAdjustScrollPositionOnItemSizeChange = p.pinned ? () => false : undefined
  useLayoutEffect(() => {
    const el = list.current
    const box = scroller()
    if (el && box) setMargin(el.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop)
  })
  const { count, onEnd } = p
  const now = useRef(p.place)
  now.current = p.place
  const refs = useRef(new Map<string, (el: HTMLElement | null) => void>())
  const full = useRef(false)
  /** refOf is one function for all renders of a row: a row that stays is not measured again. */
  const refOf = (key: string) => {
    const known = refs.current.get(key)
    if (known) return known
    if (refs.current.size > mostRefs) {
      refs.current.clear()
      full.current = true
    }
    const made = (el: HTMLElement | null) => {
      now.current(key).ref(el)
      rows.measureElement(el)
    }
    refs.current.set(key, made)
    return made
  }
  const { rowKey } = p
  useEffect(() => {
    if (!full.current) return
    full.current = false
    leave(rows.itemSizeCache, count, rowKey) // the virtualizer forgets no height by itself, and a list that moves on never ends
  })
  const seen = rows.getVirtualItems()
  const last = seen.at(-1)
  const end = last ? last.index : -1
  useEffect(() => {
    if (count > 0 && end >= count - 30) onEnd?.()
  }, [end, count, onEnd])
  const above = (seen[0]?.start ?? margin) - margin
  const below = last ? rows.getTotalSize() - (last.end - margin) : 0
  return (
    <div ref={list} role={p.role ?? 'list'} {...{ 'aria-label': p.label }} className="[overflow-anchor:none]">
      {above > 0 && <div role="presentation" style={{ height: above }} />}
      {seen.map((v) => {
        const key = p.rowKey(v.index)
        const { ref: _, className, ...place } = p.place(key)
        const { className: more, ...about } = p.about?.(v.index) ?? {}
        return (
          <div key={v.key} role={p.rowRole ?? 'listitem'} {...about} {...place} ref={refOf(key)} data-index={v.index} {...{ 'aria-posinset': v.index + 1, 'aria-setsize': p.count }} className={`${className ?? ''} scroll-my-10 ${more ?? ''}`}>
            {p.row(v.index)}
          </div>
        )
      })}
      {below > 0 && <div role="presentation" style={{ height: below }} />}
    </div>
  )
}
