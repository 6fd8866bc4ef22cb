import { expect, test } from 'vitest'
import type { Schemas } from '../api/client'
import { current, daysOf, leftOf, neededOf } from './sprint'

const health = (endDate: string | undefined, ...days: string[]) => ({ ...(endDate && { endDate }), days: days.map((day) => ({ day })) }) as unknown as Schemas['FlowHealth']

test('a chart shows the days that are known and those to come', () => {
  expect(daysOf(health('2026-03-03', '2026-02-27', '2026-02-28'))).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03'])
  expect(daysOf(health('2026-02-01', '2026-02-27'))).toEqual(['2026-02-27'])
  expect(daysOf(health(undefined, '2026-02-27'))).toEqual(['2026-02-27'])
  expect(daysOf(health('2027-02-27', '2026-02-27'))).toHaveLength(61)
  expect(daysOf(health('2027-02-27'))).toEqual([])
})

const sprint = (name: string, state: 'PLANNED' | 'RUNNING' | 'OVER', dated: boolean, tickets: number) => ({ name, state, dated, scope: { tickets, points: 0 } })

test('the sprint that people mean runs and has dates, or tickets', () => {
  expect(current([sprint('8', 'RUNNING', false, 0), sprint('7', 'RUNNING', true, 0), sprint('6', 'RUNNING', false, 4)])?.name).toBe('7')
  expect(current([sprint('8', 'RUNNING', false, 0), sprint('6', 'RUNNING', false, 4)])?.name).toBe('6')
  expect(current([sprint('8', 'PLANNED', true, 3), sprint('6', 'OVER', true, 4)])?.name).toBe('8')
  expect(current([])).toBeUndefined()
})

test('what was left then has to go down to nothing at the end', () => {
  const h = { endDate: '2026-03-04', days: [{ day: '2026-03-01', scope: { points: 9, tickets: 3 }, done: { points: 1, tickets: 1 } }, { day: '2026-03-02', scope: { points: 9, tickets: 3 }, done: { points: 3, tickets: 1 } }] } as unknown as Schemas['FlowHealth']
  const names = ['2026-02-28', ...daysOf(h), '2026-03-05']
  expect(leftOf(h, names, 'points')).toEqual([null, 8, 6, null, null, null])
  expect(neededOf(h, names, 'points')).toEqual([null, 8, 6, 3, 0, null])
  expect(neededOf({ ...h, endDate: '2026-03-01' } as typeof h, names, 'tickets')).toEqual([null, 2, 2, null, null, null])
})
