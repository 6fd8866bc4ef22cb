import { beforeEach, expect, test } from 'vitest'
import { expression, spoken, weekly } from './cron'

beforeEach(() => localStorage.setItem('chela-dates', 'words'))

test('spoken says what people schedule', () => {
  const all = {
    '0 9 * * MON-FRI': 'weekdays at 09:00', '0 0 9 * * MON-FRI': 'weekdays at 09:00', '30 7 * * 1-5': 'weekdays at 07:30', '15 6 * * *': 'every day at 06:15',
    '45 23 * * SUN': 'Sundays at 23:45', '0 8 * * MON,WED,FRI': 'Mondays, Wednesdays and Fridays at 08:00', '*/15 * * * *': 'every 15 minutes', '0 * * * *': 'every hour',
    '5 * * * *': 'every hour at 05 past', '0 9 1 * *': 'on the 1st of each month at 09:00', '0 9 22 * *': 'on the 22nd of each month at 09:00', '0 9 13 * *': 'on the 13th of each month at 09:00',
  }
  for (const [expr, want] of Object.entries(all)) expect(spoken(expr)).toBe(want)
})

test('spoken leaves alone what has no short words', () => {
  for (const expr of ['0 9-17 * * MON-FRI', '30 0 9 * * *', '0 9 * JAN *', '0 9 L * *', '0 25 * * *', 'soon', '']) expect(spoken(expr)).toBe(expr)
})

test('weekly and expression are each other’s way back', () => {
  for (const expr of ['0 9 * * MON-FRI', '15 6 * * *', '45 23 * * SUN']) {
    const w = weekly(expr)
    expect(w && expression(w)).toBe(expr)
  }
  expect(weekly('*/5 * * * *')).toBeUndefined()
})
