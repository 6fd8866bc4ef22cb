import { useKeys } from '../../lib/pane'
import type { Change } from '../../lib/standing'
import { worded } from '../../lib/words'
import { moment } from '../../lib/when'

/** Scrub moves through what became of an instance, change by change; at is how many of the changes are shown. */
export function Scrub(p: { changes: Change[]; at: number; onGo: (to: number) => void }) {
  const all = p.changes.length
  const go = (to: number) => p.onGo(Math.min(Math.max(to, 1), all))
  useKeys([
    { key: ',', does: 'the change before', act: () => go(p.at - 1) },
    { key: '.', does: 'the next change', act: () => go(p.at + 1) },
  ], true)
  useKeys([{ key: ';', does: 'now', act: () => go(all) }])
  const last = p.changes[p.at - 1]
  const past = p.at < all
  return (
    <div className={`flex flex-wrap items-center gap-x-2 border px-2 py-0.5 ${past ? 'border-warn' : 'border-line'}`}>
      <button type="button" className="px-2 py-0" disabled={p.at <= 1} onClick={() => go(p.at - 1)}><span className="sr-only">The change before</span><span aria-hidden="true">‹</span> <kbd>,</kbd></button>
      <input type="range" aria-label="Moment of the instance" min={1} max={Math.max(all, 1)} value={p.at} aria-valuetext={last ? told(last) : ''} onChange={(e) => go(Number(e.target.value))} className="min-w-[8rem] flex-1 border-0! bg-transparent! p-0! accent-[var(--color-link)]" />
      <button type="button" className="px-2 py-0" disabled={!past} onClick={() => go(p.at + 1)}><span className="sr-only">The next change</span><span aria-hidden="true">›</span> <kbd>.</kbd></button>
      <button type="button" className="px-2 py-0" disabled={!past} onClick={() => go(all)}>Now <kbd>;</kbd></button>
      <span role="status" className={`min-w-[44ch] truncate text-sm ${past ? 'text-warn' : 'text-muted'}`}>{p.at} of {all}{last && `: ${told(last)}`}</span>
    </div>
  )
}

/** told is a change in a few words. */
function told(c: Change): string {
  const what = c.state ? worded(c.state).toLowerCase() : c.review ? `review ${worded(c.review).toLowerCase()}` : c.found ? `${c.found.filter((f) => f.met).length} of ${c.found.length} met` : `${c.tokens ?? 0} tokens`
  return `${moment(c.at)} ${c.path || 'the instance'} ${what}`
}
