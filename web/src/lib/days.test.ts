import { expect, test } from 'vitest'
import { daysUntil, offered, readDay } from './days'

const now = new Date(2026, 2, 10, 15, 0) // a Tuesday

test('readDay reads days as people type them', () => {
  for (const [text, want] of Object.entries({
    '2026-04-01': '2026-04-01', '2026-02-30': undefined, today: '2026-03-10', tom: '2026-03-11', Friday: '2026-03-13', fri: '2026-03-13', tue: '2026-03-17', 'next mon': '2026-03-16',
    '3d': '2026-03-13', '+2 weeks': '2026-03-24', '2w': '2026-03-24', '6 apr': '2026-04-06', 'Apr 6': '2026-04-06', '6 mar': '2027-03-06', '31 apr': undefined, '': undefined, someday: undefined, 't': undefined,
  })) expect([text, readDay(text, now)]).toEqual([text, want])
})

test('offered are days ahead, none before today', () => {
  expect(offered(now).map((o) => o.value)).toEqual(['2026-03-10', '2026-03-11', '2026-03-13', '2026-03-16', '2026-03-17', '2026-03-24', '2026-03-31'])
  expect(offered(new Date(2026, 11, 31)).map((o) => o.value)).toContain('2026-12-31')
})

test('daysUntil counts days, not hours', () => {
  expect([daysUntil('2026-03-10', now), daysUntil('2026-03-11', now), daysUntil('2026-03-08', now)]).toEqual([0, 1, -2])
})
