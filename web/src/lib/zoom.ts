/** Span is the part of a chart that is shown: the places of its first and its last name. */
export type Span = { from: number; to: number }

/** least is how many names a chart shows at least. */
const least = 4

/** zoomed shows half as many of n names around the middle, or twice as many, within what there is. */
export function zoomed({ from, to }: Span, n: number, way: 'in' | 'out'): Span {
  const size = to - from + 1
  const next = Math.min(n, way === 'in' ? Math.max(Math.min(least, size), Math.ceil(size / 2)) : size * 2)
  const first = Math.min(Math.max(0, from + Math.round((size - next) / 2)), n - next)
  return { from: first, to: first + next - 1 }
}

/** moved shows what is a quarter of the span further, within what there is. */
export function moved({ from, to }: Span, n: number, way: -1 | 1): Span {
  const by = Math.max(1, Math.round((to - from + 1) / 4)) * way
  const shift = Math.min(Math.max(by, -from), n - 1 - to)
  return { from: from + shift, to: to + shift }
}
