import { expect, test } from 'vitest'
import { branches, type Span, sums } from './tree'

const span = (id: string, parent: string, start: number, more: Partial<Span> = {}): Span =>
  ({ id, ...(parent ? { parent } : {}), kind: 'task', seq: start, name: id, at: '', start_ms: start, ms: 1, state: 'done', ...more }) as Span
const answer = (tokens: number, usd: number) => ({ provider: '', model: '', input_tokens: tokens, output_tokens: 0, cost_usd: usd, cost_known: usd > 0, stop: '', calls: 0 })

test('what is within a span comes after it, by its beginning', () => {
  const spans = [span('root', '', 0), span('b', 'root', 5), span('a', 'root', 2), span('b1', 'b', 6), span('lost', 'nobody', 3)]
  expect(branches(spans, []).map((b) => `${b.depth}${b.span.id}${b.within}`)).toEqual(['0root2', '1a0', '1b1', '2b10', '0lost0'])
  expect(branches(spans, ['b']).map((b) => b.span.id)).toEqual(['root', 'a', 'b', 'lost'])
})

test('what a span costs is that of all within it', () => {
  const all = sums([span('root', '', 0), span('t', 'root', 1), span('m0', 't', 2, { answer: answer(10, 0.5) }), span('m1', 't', 3, { answer: answer(5, 0) })])
  expect(all.get('root')).toEqual({ tokens: 15, usd: 0.5, unpriced: 1 })
  expect(all.get('m1')).toEqual({ tokens: 5, usd: 0, unpriced: 1 })
})
