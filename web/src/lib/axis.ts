/** Axis is where times are on a line from 0 to 1; what is folded is a gap of one width. */
export type Axis = { x: (ms: number) => number; ticks: { at: number; ms: number }[]; gaps: { from: number; to: number; ms: number }[] }

/** Bar is a time in which something was worked. */
type Bar = { start_ms: number; ms: number }

const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5, 216e5, 864e5]
const gapWidth = 0.04
const apart = 0.09 // the least distance of two ticks

/** idle are the times of at least that length in which nothing was worked. */
function idle(bars: Bar[], total: number, least: number): { from: number; to: number }[] {
  const out: { from: number; to: number }[] = []
  let until = 0
  for (const b of [...bars].sort((a, b) => a.start_ms - b.start_ms)) {
    if (b.start_ms - until >= least) out.push({ from: until, to: b.start_ms })
    until = Math.max(until, b.start_ms + b.ms)
  }
  if (total - until >= least) out.push({ from: until, to: total })
  return out
}

/**
 * axis puts a time of so many milliseconds on a line. With fold, times in which none of the
 * bars was worked, and that would take more than a tenth of it, are folded.
 */
export function axis(total: number, bars: Bar[], fold: boolean): Axis {
  const length = Math.max(total, 1)
  const folds = fold ? idle(bars, length, Math.max(length / 10, 1_000)) : []
  const left = length - folds.reduce((n, g) => n + g.to - g.from, 0)
  const scale = (1 - folds.length * gapWidth) / Math.max(left, 1)
  const x = (ms: number) => {
    let at = 0
    let from = 0
    const to = Math.min(Math.max(ms, 0), length)
    for (const g of folds) {
      if (to <= g.from) break
      at += (g.from - from) * scale + gapWidth * Math.min((to - g.from) / (g.to - g.from), 1)
      from = g.to
      if (to <= g.to) return at
    }
    return at + (to - from) * scale
  }
  const step = steps.find((s) => left / s <= 6) ?? left / 6
  const ticks: Axis['ticks'] = []
  for (let ms = 0; ms <= length && ticks.length < 40; ms += step) {
    const inside = folds.find((g) => ms > g.from && ms < g.to)
    if (inside) {
      ms = Math.floor(inside.to / step) * step // the next one is behind it
      continue
    }
    const at = x(ms)
    if (at <= 1 - apart / 2 && (ticks.length === 0 || at - (ticks.at(-1)?.at ?? 0) >= apart)) ticks.push({ at, ms })
  }
  return { x, ticks, gaps: folds.map((g) => ({ from: x(g.from), to: x(g.to), ms: g.to - g.from })) }
}
