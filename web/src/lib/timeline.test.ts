import { expect, test } from 'vitest'
import { at, lateness, nameOf, spanOf, ticks } from './timeline'

test('a span holds every day that is said, and today', () => {
  const s = spanOf(['2026-03-10', undefined, 'someday', '2026-03-20'], '2026-03-01')
  expect(nameOf(s.from) < '2026-03-01' && nameOf(s.to) > '2026-03-20').toBe(true)
})

test('a scale names Mondays, months or years, never more than asked', () => {
  expect(ticks({ from: at('2026-03-01'), to: at('2026-03-20') }, 8).map((t) => t.name)).toEqual(['Mar 2', 'Mar 9', 'Mar 16'])
  expect(ticks({ from: at('2026-01-15'), to: at('2026-06-20') }, 8).map((t) => t.name)).toEqual(['Feb 2026', 'Mar 2026', 'Apr 2026', 'May 2026', 'Jun 2026'])
  for (const to of ['2027-01-01', '2030-01-01', '2090-01-01']) expect(ticks({ from: at('2026-01-15'), to: at(to) }, 6).length).toBeLessThanOrEqual(6)
})

test('what is late says by how much', () => {
  const m = { id: 'mls_1', kind: 'milestone' as const, name: 'M', to: '2026-03-01' }
  expect(lateness({ ...m, status: 'ON_TRACK' }, '2026-03-03')).toBe('2 days late')
  expect(lateness({ ...m, status: 'ON_TRACK' }, '2026-03-01')).toBe('')
  expect(lateness({ ...m, status: 'COMPLETED', reached: '2026-03-02' }, '2026-06-01')).toBe('reached 1 day late')
  expect(lateness({ ...m, status: 'COMPLETED', reached: '2026-02-20' }, '2026-06-01')).toBe('')
  expect(lateness({ id: 'mls_2', kind: 'milestone', name: 'M', status: 'UPCOMING' }, '2026-03-03')).toBe('')
  const p = { id: 'phs_1', kind: 'phase' as const, name: 'P', from: '2026-03-01', to: '2026-03-10' }
  expect(lateness({ ...p, status: 'NOT_STARTED' }, '2026-03-03')).toBe('was to begin 2 days ago')
  expect(lateness({ ...p, status: 'IN_PROGRESS' }, '2026-03-11')).toBe('1 day over its end')
  expect(lateness({ ...p, status: 'COMPLETED' }, '2026-06-11')).toBe('')
})
