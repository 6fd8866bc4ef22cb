import { expect, test } from 'vitest'
import type { Schemas } from '../../api/client'
import { within } from './messages'

const span = (id: string, parent: string, kind: Schemas['TraceSpan']['kind'], at = '2026-03-01T00:00:00Z'): Schemas['TraceSpan'] => ({ id, ...(parent ? { parent } : {}), kind, at, name: id, seq: 1, start_ms: 0, ms: 1, state: 'done' })
const spans = [
  span('tsk_1', '', 'task'), span('tsk_1.write#1', 'tsk_1', 'task'), span('tsk_1.write#2~1', 'tsk_1', 'task'), span('tsk_1.write_more#1', 'tsk_1', 'task'), span('tsk_1.each[2].write#1', 'tsk_1', 'task'),
  span('m1', 'tsk_1.write#1', 'model'), span('t1', 'm1', 'tool'), span('m2', 'tsk_1.write#2~1', 'model', '2026-03-02T00:00:00Z'), span('m3', 'tsk_1.write_more#1', 'model'), span('m4', 'tsk_1.each[2].write#1', 'model'), span('n', 'tsk_1.write#1', 'note'),
]

test('the messages of a step are those of all its tries, and of no other step', () => {
  expect(within(spans, 'write', 0).map((s) => s.id)).toEqual(['m1', 't1', 'm2'])
  expect(within(spans, 'each[2].write', 0).map((s) => s.id)).toEqual(['m4'])
  expect(within(spans, 'write', Date.parse('2026-03-01T12:00:00Z')).map((s) => s.id)).toEqual(['m1', 't1'])
})
