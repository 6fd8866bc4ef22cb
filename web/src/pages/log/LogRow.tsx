import { memo } from 'react'
import type { Row } from '../../api/stream'

/** columns are how the parts of a row stand in a wide pane. */
export const columns = '@3xl:grid @3xl:grid-cols-[7ch_13ch_minmax(12ch,2fr)_minmax(8ch,1fr)_minmax(10ch,1.5fr)_minmax(0,4fr)] @3xl:gap-x-3'

/** color tells the namespaces apart that matter most when one looks for what went wrong. */
function color(type: string): string {
  if (/error|failure|timeout|cancel/.test(type)) return 'text-danger'
  if (/^(approval|policy|vault|guard)\./.test(type)) return 'text-warn'
  if (/^(run|task|model|tool|routing)\./.test(type)) return 'text-live'
  return 'text-text'
}

const two = (n: number) => String(n).padStart(2, '0')

/** time is the time of day here with its milliseconds; the browser's own words for it take longer than all else of a row. */
function time(at: string): string {
  const t = new Date(at)
  return `${two(t.getHours())}:${two(t.getMinutes())}:${two(t.getSeconds())}.${String(t.getMilliseconds()).padStart(3, '0')}`
}

const cell = 'line-clamp-1 break-all'

/** LogRow is one event in one line; in a narrow pane its parts follow each other. */
export const LogRow = memo(function LogRow({ of: r, who, onOpen }: { of: Row; who: string; onOpen: () => void }) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on the row does the same
    // biome-ignore lint/a11y/noStaticElementInteractions: the row is the list's item
    <div onClick={onOpen} className={`flex cursor-pointer flex-wrap gap-x-3 ${columns}`}>
      <span className="text-right text-muted tabular-nums">{r.seq}</span>
      <span className="text-muted tabular-nums">{time(r.at)}</span>
      <span className={`${cell} ${color(r.type)}`}>{r.type}</span>
      <span className={cell}>{who}</span>
      <span className={`${cell} text-muted`}>{r.stream}</span>
      <span className={`${cell} text-muted`}>{r.brief}</span>
    </div>
  )
}, (a, b) => a.of === b.of && a.who === b.who)
