import { expect, test } from 'vitest'
import { worded } from './words'

test('worded reads values of the API as people do', () => {
  const of = { IN_PROGRESS: 'In progress', TODO: 'To do', running: 'Running', AT_RISK: 'At risk', WONT_FIX: 'Won’t fix', DISPATCHED: 'Done' }
  for (const [value, want] of Object.entries(of)) expect(worded(value)).toBe(want)
})

test('worded leaves alone what is no value', () => {
  for (const text of ['', 'Sprint 7', 'PAY-201', 'Dana Reyes']) expect(worded(text)).toBe(text)
  expect(worded(undefined)).toBe('')
})
