import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { places } from '../views'
import { clear, minutes, steps, type Where } from './tour'

const where = (path: string, search = ''): Where => ({ path, search: new URLSearchParams(search), project: 'prj_1', queries: new QueryClient() })
const step = (name: string) => steps.find((s) => s.name === name) as (typeof steps)[number]

test('there are five steps, each on a view that there is', () => {
  expect(steps).toHaveLength(5)
  for (const s of steps) expect(places.some((p) => p.to === s.to), s.name).toBe(true)
})

test('a step is measured by what the window shows', () => {
  expect(step('See the evidence').measure(where('/tickets'))).toBe(0)
  expect(step('See the evidence').measure(where('/records/tkt_1'))).toBe(1)
  expect(step('Go back in time').measure(where('/today'))).toBe(0)
  expect(step('Go back in time').measure(where('/today', 'asOf=2026-03-01'))).toBe(1)
})

test('what was not asked yet cannot be measured; an answered approval counts', () => {
  const w = where('/approvals')
  const approve = step('Approve')
  expect(approve.measure(w)).toBeUndefined()
  w.queries.setQueryData(['approval', 'pending'], [1, 2])
  const before = approve.measure(w) as number
  w.queries.setQueryData(['approval', 'pending'], [1])
  expect(approve.measure(w)).toBeGreaterThan(before)
})

test('an intake counts when it is through, in its project', () => {
  const w = where('/')
  const paste = step('Paste notes')
  w.queries.setQueryData(['intake', 'prj_2'], { items: [{ body: { status: 'DISPATCHED' } }] })
  expect(paste.measure(w)).toBeUndefined()
  w.queries.setQueryData(['intake', 'prj_1'], { items: [{ body: { status: 'RUNNING' } }] })
  expect(paste.measure(w)).toBe(0)
  w.queries.setQueryData(['intake', 'prj_1'], { items: [{ body: { status: 'DISPATCHED' } }] })
  expect(paste.measure(w)).toBe(1)
})

test('the words do not cover what they point at, when there is room', () => {
  const place = (left: number, top: number) => ({ left, top, width: 10, height: 10 })
  const places = [place(0, 90), place(90, 90), place(0, 0)]
  expect(clear(places, { left: 0, top: 80, width: 20, height: 20 })).toBe(places[1])
  expect(clear(places, undefined)).toBe(places[0])
  expect(clear(places, { left: 0, top: 0, width: 100, height: 100 })).toBe(places[0])
})

test('the minutes that are offered are of the day', () => {
  expect(minutes(new Date('2026-03-11T10:00:00Z'))).toContain('# Payments weekly 2026-03-11')
})
