import { expect, test } from 'vitest'
import { every, holds, isOnce, often, standing, timeOf, tomorrow } from './remind'

test('an interval is said as people do', () => {
  expect([604_800, 172_800, 3_600, 90, undefined].map(every)).toEqual(['every week', 'every 2 days', 'every hour', 'every 90 seconds', ''])
})

test('how often a reminder comes is said as people do', () => {
  const b = { message: 'm', type: 'TIME_BASED', recurring: true }
  expect([{ weekdays: true }, { monthDay: 3 }, { monthDay: 31 }, { intervalSeconds: 86_400 }].map((more) => often({ ...b, ...more }))).toEqual(['every weekday', 'each month on day 3', 'the last of each month', 'every day'])
})

test('a condition of fields and values is said in words, and what is more is not', () => {
  expect(holds('kind:ticket status:REVIEW,BLOCKED priority:HIGH')).toBe('a ticket has status Review or Blocked and priority High')
  expect(holds('kind:objective owner:"Joe Martinez"')).toBe('an objective has owner Joe Martinez')
  for (const more of ['kind:ticket due:none', 'kind:ticket points:>3', 'kind:ticket status:TODO OR retries', 'kind:ticket -status:DONE', 'status:TODO', 'kind:ticket', undefined]) expect(holds(more), more).toBeUndefined()
})

test('what rang or is due comes before what waits', () => {
  const now = new Date('2026-03-01T12:00:00Z')
  const by = (triggerAt: string, triggered = false) => standing({ message: 'm', type: 'TIME_BASED', triggerAt, triggered }, now)
  expect(by('2026-02-01', true)).toMatchObject({ rank: 0, word: 'rang' })
  expect(by('2026-02-01')).toMatchObject({ rank: 0, word: 'due' })
  expect(by('2026-03-02')).toMatchObject({ rank: 1, word: 'waits' })
  expect(standing({ message: 'm', type: 'CONDITION_BASED', condition: 'kind:ticket' }, now).rank).toBe(2)
})

test('tomorrow is the next morning, also at the end of a month', () => {
  const at = new Date(tomorrow(new Date(2026, 1, 28, 23)))
  expect([at.getMonth(), at.getDate(), at.getHours()]).toEqual([2, 1, 9])
})

test('a day comes at nine in the morning, where the person is', () => {
  expect(timeOf({ message: 'm', type: 'TIME_BASED', triggerAt: '2027-03-28' })).toBe(new Date(2027, 2, 28, 9).getTime())
})

test('what comes first is first, however its time is written; a condition is last', () => {
  const of = (triggerAt: string, type: 'TIME_BASED' | 'CONDITION_BASED' = 'TIME_BASED') => ({ message: triggerAt, type, triggerAt })
  const all = [of('2027-03-28', 'CONDITION_BASED'), of('2027-03-28T02:30:00+01:00'), of('2027-03-28T01:00:00Z'), of('2027-03-26')]
  expect(all.toSorted((a, b) => timeOf(a) - timeOf(b)).map((r) => r.message)).toEqual(['2027-03-26', '2027-03-28T01:00:00Z', '2027-03-28T02:30:00+01:00', '2027-03-28'])
})

test('one that recurs is not put off, which would move all that come after', () => {
  expect([{}, { recurring: true, intervalSeconds: 604_800 }].map((more) => isOnce({ message: 'm', type: 'TIME_BASED', triggerAt: '2027-03-28', ...more }))).toEqual([true, false])
  expect(isOnce({ message: 'm', type: 'CONDITION_BASED', condition: 'kind:ticket' })).toBe(false)
})
