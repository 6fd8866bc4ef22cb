/** Label is the name of a mark of a chart: where its line is, and how wide its text is, in points. */
export type Label = { x: number; width: number }

/** Laid is where a label begins, and in which row above the plot, from its edge. */
export type Laid = { left: number; row: number }

const gap = 4

/** layLabels lays labels over their lines, within a plot, so that none covers another: what has no room goes to the next row. */
export function layLabels(labels: Label[], from: number, to: number): Laid[] {
  const ends: number[] = [] // of each row
  const order = labels.map((_, i) => i).sort((a, b) => (labels[a]?.x ?? 0) - (labels[b]?.x ?? 0))
  const out = labels.map(() => ({ left: from, row: 0 }))
  for (const i of order) {
    const { x, width } = labels[i] ?? { x: 0, width: 0 }
    const left = Math.max(from, Math.min(x - width / 2, to - width))
    const free = ends.findIndex((end) => end + gap <= left)
    const row = free < 0 ? ends.length : free
    ends[row] = left + width
    out[i] = { left, row }
  }
  return out
}
