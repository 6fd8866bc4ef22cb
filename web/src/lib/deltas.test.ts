import { expect, test } from 'vitest'
import { ordered, takes } from './deltas'

const delta = { deltaType: 'DATE_DRIFT', severity: 'LOW', title: 'Two dates', fieldName: 'dueDate', sourceA: 'thr_1', valueA: '2026-03-01', sourceB: 'tkt_1', valueB: '2026-04-01' }
const ticket = (dueDate?: string) => new Map([['tkt_1', { title: 'T', fields: { dueDate } }], ['thr_1', { title: 'M', fields: {} }]])

test('a side is taken over by a record that still says what it said', () => {
  expect(takes(delta, ticket('2026-04-01'))).toEqual(['A'])
  expect(takes(delta, ticket('2026-05-01'))).toEqual([])
  expect(takes({ ...delta, valueB: undefined }, ticket())).toEqual(['A'])
})

test('what is computed, and what is unknown, is not taken over', () => {
  expect(takes({ ...delta, sourceA: 'today' }, ticket('2026-04-01'))).toEqual([])
  expect(takes(delta, new Map())).toEqual([])
})

test('the gravest delta is first, and stays there when it is decided', () => {
  const of = (severity: string, decision?: string) => ({ ...delta, severity, decision })
  expect(ordered([of('LOW'), of('CRITICAL', 'DISMISSED'), of('HIGH'), of('LOW')])).toEqual([1, 2, 0, 3])
})

test('an absence of the minutes is added to the days away, and takes no side', () => {
  expect(takes({ ...delta, deltaType: 'ABSENCE', fieldName: 'away', valueB: undefined }, ticket())).toEqual([])
})
