import type { Row } from '../api/stream'

/** Narrow is what a list of events is narrowed by; an empty word does not narrow. */
export type Narrow = { type: string; actor: string; run: string; stream: string; words: string }

/** admits says whether an event fits, as the daemon says it; words are looked for in what a row shows. */
export function admits(n: Narrow, r: Row): boolean {
  const space = n.type.endsWith('*') ? n.type.slice(0, -1) : undefined
  if (space === undefined ? n.type !== '' && n.type !== r.type : !r.type.startsWith(space)) return false
  if ((n.actor !== '' && n.actor !== r.from) || (n.run !== '' && n.run !== r.run) || (n.stream !== '' && n.stream !== r.stream)) return false
  return shows(n.words, r)
}

/** shows says whether all words are somewhere in what a row shows. */
export function shows(words: string, r: Row): boolean {
  if (words.trim() === '') return true
  const text = `${r.type} ${r.from} ${r.stream} ${r.run} ${r.brief}`.toLowerCase()
  return words.toLowerCase().split(/\s+/).every((w) => text.includes(w))
}

/** kept is how many events are kept of those that come, deepest how many when older ones are asked for. */
export const kept = 5_000
export const deepest = 20_000

/**
 * Feed holds the newest events that fit, newest first. rows are shown; while it is held, they
 * stay and meanwhile counts what came. Nothing is in it twice, and it never holds more than
 * kept, or deepest when older events were asked for. looked is the oldest position that was
 * looked at: what fits from there on is in rows.
 */
export type Feed = { rows: Row[]; held: boolean; coming: Row[]; meanwhile: number; end: boolean; looked: number }

export const empty: Feed = { rows: [], held: false, coming: [], meanwhile: 0, end: false, looked: 0 }

/** cut keeps the newest of rows; what is older than those has to be looked for again. */
function cut(f: Feed, rows: Row[]): Feed {
  if (rows.length <= kept) return { ...f, rows }
  const some = rows.slice(0, kept)
  return { ...f, rows: some, end: false, looked: some.at(-1)?.seq ?? 0 }
}

/** newer are rows, newest first, that are newer than the newest of what is known. */
const newer = (rows: Row[], than: Row | undefined) => rows.filter((r) => r.seq > (than?.seq ?? 0))

/** came takes in events in the order in which they were recorded. */
export function came(f: Feed, events: Row[]): Feed {
  const fresh = newer([...events].reverse(), f.coming[0] ?? f.rows[0])
  if (fresh.length === 0) return f
  if (f.held) return { ...f, coming: [...fresh, ...f.coming].slice(0, kept), meanwhile: f.meanwhile + fresh.length }
  return cut(f, [...fresh, ...f.rows])
}

/** hold has what is shown stay. */
export const hold = (f: Feed): Feed => (f.held ? f : { ...f, held: true })

/** follow shows what came meanwhile and what comes from now on. */
export function follow(f: Feed): Feed {
  if (!f.held) return f
  const on = { ...f, held: false, coming: [], meanwhile: 0 }
  if (f.meanwhile === f.coming.length) return cut(on, [...f.coming, ...f.rows])
  return { ...on, rows: f.coming, end: false, looked: f.coming.at(-1)?.seq ?? 0 } // there is a gap: what is older is asked for again
}

/** older takes in what fits of a page of events, newest first, that go back to a position; end says that there are no more. */
export function older(f: Feed, page: Row[], looked: number, end: boolean): Feed {
  const last = f.rows.at(-1)
  return { ...f, rows: [...f.rows, ...(last ? page.filter((r) => r.seq < last.seq) : page)].slice(0, deepest), looked, end }
}
