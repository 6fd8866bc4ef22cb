import { expect, test } from 'vitest'
import { ago, exact, ranges, saying, spanning, spanOf } from './moment'
import { day, moment as written } from './when'

test('the moments that are offered are before now, the nearest first', () => {
  const now = new Date('2026-03-01T00:30:00Z')
  expect(ago(now).map((m) => m.moment)).toEqual(['2026-02-28T23:30:00Z', '2026-02-28', '2026-02-22', '2026-02-01'])
  expect(new Set(ago(now).map((m) => m.key)).size).toBe(4)
})

test('ranges begin after the end of the day before their first', () => {
  const now = new Date('2026-03-01T00:30:00Z')
  expect(ranges(now).map((r) => r.since)).toEqual(['2026-02-28', '2026-02-28T00:30:00Z', '2026-02-22', '2026-02-15'])
  expect(ranges(now, { name: 'Sprint 7', beginDate: '2026-03-01' }).at(-1)).toEqual({ key: '5', name: 'Sprint 7', since: '2026-02-28' })
  expect(ranges(now, { name: 'Sprint 8' })).toHaveLength(4)
})

test('a range is told in words', () => {
  expect(spanning('', '')).toBe('')
  expect(spanning('', '2026-03-01')).toBe(`as of the end of ${day('2026-03-01')} (UTC)`)
  expect(spanning('2026-02-22', '')).toBe(`since the end of ${day('2026-02-22')} (UTC)`)
  expect(spanning('2026-02-22', '2026-03-01')).toBe(`since the end of ${day('2026-02-22')} (UTC), until the end of ${day('2026-03-01')} (UTC)`)
})

test('a local day and time becomes an instant, anything else nothing', () => {
  expect(exact('2026-03-01T10:15')).toBe(`${new Date(2026, 2, 1, 10, 15).toISOString().slice(0, 19)}Z`)
  expect(exact('')).toBe('')
})

test('a moment is called by what it is', () => {
  expect(saying('2026-03-01')).toBe(`the end of ${day('2026-03-01')} (UTC)`)
  expect(saying('#1234')).toBe('event 1234')
  expect(saying('1234')).toBe('event 1234')
  expect(saying('msg_06gzrxrwyzjtx898pvaye58b20')).toBe('event …58b20')
  expect(saying('2026-03-01T09:00:00Z')).toBe(written('2026-03-01T09:00:00Z'))
})

test('an address says which moment its view shows', () => {
  expect(['/today', '/today?asOf=%222571%22', '/today?asOf=2571', '/today?asOf=2026-03-01&since=7', '/tickets?filter=a&asOf=msg_1234567'].map((a) => spanOf(a).words)).toEqual(['', 'as of event 2571', 'as of event 2571', expect.stringContaining('since event 7, until the end of'), 'as of event …34567'])
  expect(['/today', '/today?since=7', '/today?asOf=7'].map((a) => spanOf(a).past)).toEqual([false, false, true])
})

test('a view that knows now alone says no moment; the records, minutes and answers say it', () => {
  const said = (path: string) => spanOf(`${path}?asOf=2026-03-01&since=7`).words !== ''
  expect(['/', '/inbox', '/approvals', '/memory', '/runs', '/chat', '/project', '/search', '/runs/run_1', '/nowhere'].filter(said)).toEqual([])
  expect(['/ask', '/threads', '/records/tkt_1', '/instances/run_1', '/today'].filter((p) => !said(p))).toEqual([])
})
