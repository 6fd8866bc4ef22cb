import type { KeyboardEvent, PointerEvent } from 'react'
import { type Border, type Box, boxes, type Desk, leaves, shared } from './desk'
import { useNarrow } from './narrow'
import { codeOf, PaneView } from './PaneView'
import { change } from './store'

/** arrows are what a key moves a border by, in percent. */
const arrows: { [key: string]: number } = { ArrowLeft: -2, ArrowUp: -2, ArrowRight: 2, ArrowDown: 2, PageUp: -10, PageDown: 10 }

function Between({ border }: { border: Border }) {
  const { way, share, box } = border
  const row = way === 'row'
  const set = (to: number) => change((d) => shared(d, border.place, to))
  const onKeyDown = (e: KeyboardEvent) => {
    const by = arrows[e.key]
    if (by === undefined) return
    e.preventDefault()
    set(share + by)
  }
  const onPointerMove = (e: PointerEvent<HTMLElement>) => {
    const all = e.currentTarget.parentElement?.getBoundingClientRect()
    if (!e.currentTarget.hasPointerCapture(e.pointerId) || !all) return
    const [at, from, of] = row ? [((e.clientX - all.left) / all.width) * 100, box.x, box.w] : [((e.clientY - all.top) / all.height) * 100, box.y, box.h]
    set(((at - from) / of) * 100)
  }
  const style = row ? { left: `calc(${box.x + (box.w * share) / 100}% - 2px)`, top: `${box.y}%`, height: `${box.h}%` } : { top: `calc(${box.y + (box.h * share) / 100}% - 2px)`, left: `${box.x}%`, width: `${box.w}%` }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a border that moves is no thematic break
    <div
      role="separator"
      aria-label="Border between panes"
      aria-orientation={row ? 'vertical' : 'horizontal'}
      aria-valuenow={share}
      aria-valuemin={10}
      aria-valuemax={90}
      tabIndex={0}
      style={style}
      onKeyDown={onKeyDown}
      onPointerDown={(e) => e.currentTarget.setPointerCapture(e.pointerId)}
      onPointerMove={onPointerMove}
      onDoubleClick={() => set(50)}
      className={`absolute touch-none bg-line hover:bg-focus focus-visible:bg-focus ${row ? 'w-1 cursor-col-resize' : 'h-1 cursor-row-resize'}`}
    />
  )
}

/** place is the style of a pane's box; where a border is beside it, it leaves room for half of that. */
function place(b: Box) {
  const end = (at: number) => (at < 99.99 ? 2 : 0)
  return {
    left: `${b.x}%`, top: `${b.y}%`, width: `${b.w}%`, height: `${b.h}%`,
    paddingLeft: b.x > 0 ? 2 : 0, paddingTop: b.y > 0 ? 2 : 0, paddingRight: end(b.x + b.w), paddingBottom: end(b.y + b.h),
  }
}

/** Panes shows the desk's panes in their places; one alone when the window is narrow or one was made whole. */
export function Panes({ desk }: { desk: Desk }) {
  const panes = leaves(desk.tree)
  const one = useNarrow() || desk.whole || panes.length === 1
  const of = boxes(desk.tree)
  const whole = { x: 0, y: 0, w: 100, h: 100 }
  return (
    <div className="relative size-full">
      {panes.map((p) => (
        <div key={p} hidden={one && p !== desk.at} className="absolute" style={place(one ? whole : (of.panes[p] ?? whole))}>
          <PaneView pane={p} desk={desk} alone={panes.length === 1} />
        </div>
      ))}
      {!one && of.borders.map((b) => <Between key={b.place} border={b} />)}
    </div>
  )
}

/** Others leads to the panes that cannot be seen, when one is shown alone. */
export function Others({ desk }: { desk: Desk }) {
  const panes = leaves(desk.tree)
  const narrow = useNarrow()
  if (panes.length === 1 || !(narrow || desk.whole)) return null
  return (
    <span className="flex gap-2">
      {panes.map((p) => (
        <button key={p} type="button" className="plain aria-pressed:text-accent!" aria-pressed={p === desk.at} onClick={() => change((d) => ({ ...d, at: p }))}>{codeOf(desk.hrefs[p] ?? '/')}</button>
      ))}
    </span>
  )
}
