import type { Schemas } from '../../api/client'

export type Span = Schemas['TraceSpan']

/** Branch is a span as the tree shows it: how deep, how many it has within, and whether those are shown. */
export type Branch = { span: Span; depth: number; within: number; open: boolean }

/**
 * branches are the spans in the order of the tree: what is within a span comes after it, by
 * its beginning. What is within a span that is closed is left out.
 */
export function branches(spans: Span[], closed: string[]): Branch[] {
  const known = new Set(spans.map((s) => s.id))
  const within = new Map<string, Span[]>()
  for (const s of spans) {
    const parent = s.parent !== undefined && known.has(s.parent) && s.parent !== s.id ? s.parent : ''
    within.set(parent, [...(within.get(parent) ?? []), s])
  }
  const out: Branch[] = []
  const put = (parent: string, depth: number) => {
    for (const span of [...(within.get(parent) ?? [])].sort((a, b) => a.start_ms - b.start_ms || a.seq - b.seq)) {
      const inside = within.get(span.id)?.length ?? 0
      const open = !closed.includes(span.id)
      out.push({ span, depth, within: inside, open })
      if (inside > 0 && open) put(span.id, depth + 1)
    }
  }
  put('', 0)
  return out
}

/** sums adds up what the model calls within each span took and cost. */
export function sums(spans: Span[]): Map<string, { tokens: number; usd: number; unpriced: number }> {
  const parents = new Map(spans.map((s) => [s.id, s.parent]))
  const out = new Map<string, { tokens: number; usd: number; unpriced: number }>()
  for (const s of spans) {
    if (!s.answer) continue
    let at: string | undefined = s.id
    for (let i = 0; at !== undefined && i < 64; i++) {
      const sum = out.get(at) ?? { tokens: 0, usd: 0, unpriced: 0 }
      out.set(at, { tokens: sum.tokens + s.answer.input_tokens + s.answer.output_tokens, usd: sum.usd + s.answer.cost_usd, unpriced: sum.unpriced + (s.answer.cost_known ? 0 : 1) })
      at = parents.get(at)
    }
  }
  return out
}
