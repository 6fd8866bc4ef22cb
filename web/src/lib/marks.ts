/** Marks are rows that are marked, and the range that is being drawn: from an anchor, over those that were marked before it. */
export type Marks = { ids: string[]; anchor: string; before: string[] }

/** none is no mark. */
export const none: Marks = { ids: [], anchor: '', before: [] }

/** toggled marks a row, or takes its mark away; the next range begins there. */
export function toggled(m: Marks, id: string): Marks {
  const ids = m.ids.includes(id) ? m.ids.filter((x) => x !== id) : [...m.ids, id]
  return { ids, anchor: id, before: ids.filter((x) => x !== id) }
}

/** ranged marks all rows between the anchor and one, and no longer those that the range left. from is the anchor of a range that begins. */
export function ranged(m: Marks, all: string[], from: string, to: string): Marks {
  const anchor = m.anchor !== '' && all.includes(m.anchor) ? m.anchor : from
  const before = anchor === m.anchor ? m.before : m.ids
  const [a, b] = [all.indexOf(anchor), all.indexOf(to)].sort((x, y) => x - y)
  return { ids: [...new Set([...before, ...all.slice(a, (b ?? 0) + 1)])], anchor, before }
}

/** every marks all rows. */
export const every = (all: string[]): Marks => ({ ids: all, anchor: '', before: [] })
