import { expect, test } from 'vitest'
import type { Row } from '../api/stream'
import { admits, came, empty, type Feed, follow, hold, kept, older } from './feed'

const row = (seq: number, more: Partial<Row> = {}): Row => ({ seq, at: '', type: 'log.note', from: 'agent:a', stream: 's', thread: 't', run: 'run_1', brief: '', ...more })
const rows = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => row(from + i))
const seqs = (f: Feed) => f.rows.map((r) => r.seq)

test('events are narrowed as the daemon does it', () => {
  const none = { type: '', actor: '', run: '', stream: '', words: '' }
  expect(admits(none, row(1))).toBe(true)
  expect(admits({ ...none, type: 'log.*' }, row(1))).toBe(true)
  expect(admits({ ...none, type: 'log' }, row(1))).toBe(false)
  expect(admits({ ...none, actor: 'agent:b' }, row(1))).toBe(false)
  expect(admits({ ...none, run: 'run_1', stream: 's' }, row(1))).toBe(true)
  expect(admits({ ...none, words: 'CARD note' }, row(1, { brief: '{"title":"Card"}' }))).toBe(true)
  expect(admits({ ...none, words: 'card fish' }, row(1, { brief: 'card' }))).toBe(false)
})

test('what comes is shown once, newest first', () => {
  let f = came(empty, rows(1, 3))
  f = came(f, rows(2, 5))
  expect(seqs(f)).toEqual([5, 4, 3, 2, 1])
  expect(came(f, rows(1, 5))).toBe(f)
})

test('what is held stays, and nothing is lost', () => {
  let f = hold(came(empty, rows(1, 3)))
  f = came(f, rows(3, 7))
  f = came(f, rows(6, 8))
  expect(seqs(f)).toEqual([3, 2, 1])
  expect(f.meanwhile).toBe(5)
  expect(seqs(follow(f))).toEqual([8, 7, 6, 5, 4, 3, 2, 1])
})

test('no more is kept than may be, and a gap is not hidden', () => {
  let f: Feed = { ...came(empty, rows(1, 10)), end: true }
  f = came(f, rows(11, kept + 20))
  expect(f.rows.length).toBe(kept)
  expect([f.end, f.looked]).toEqual([false, 21])
  f = hold(f)
  for (let i = 0; i < 3; i++) f = came(f, rows(kept + 21 + i * 2_000, kept + 20 + (i + 1) * 2_000))
  expect(f.coming.length).toBe(kept)
  expect(f.meanwhile).toBe(6_000)
  f = follow(f)
  expect([f.rows.length, f.rows[0]?.seq, f.rows.at(-1)?.seq]).toEqual([kept, kept + 6_020, kept + 1_021])
})

test('older events follow those that are shown', () => {
  const f = older(came(empty, rows(5, 6)), [row(5), row(4), row(3)], 2, true)
  expect(seqs(f)).toEqual([6, 5, 4, 3])
  expect([f.end, f.looked]).toEqual([true, 2])
})
