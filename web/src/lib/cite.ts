import { prefixes } from './kinds.gen'

/** Piece is a part of a text: plain words, or the id of a record. */
export type Piece = { text: string; id?: string }

const ids = new RegExp(String.raw`\[?\b((?:${prefixes.join('|')})_[0-9a-z]{20,32})\b\]?`, 'g')

/** pieces splits a text at the ids of records, so that they can be linked. */
export function pieces(text: string): Piece[] {
  const out: Piece[] = []
  let at = 0
  for (const m of text.matchAll(ids)) {
    if (m.index > at) out.push({ text: text.slice(at, m.index) })
    const id = m[1] ?? ''
    out.push({ text: id, id })
    at = m.index + m[0].length
  }
  if (at < text.length) out.push({ text: text.slice(at) })
  return out
}
