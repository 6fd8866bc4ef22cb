import { expect, test } from 'vitest'
import { isReading, worded } from './words'

test('worded reads values of the API as people do', () => {
  const of = { IN_PROGRESS: 'In progress', TODO: 'To do', running: 'Running', AT_RISK: 'At risk', WONT_FIX: 'Won’t fix', DISPATCHED: 'Done' }
  for (const [value, want] of Object.entries(of)) expect(worded(value)).toBe(want)
})

test('worded leaves alone what is no value', () => {
  for (const text of ['', 'Sprint 7', 'PAY-201', 'Dana Reyes']) expect(worded(text)).toBe(text)
  expect(worded(undefined)).toBe('')
})

test('isReading tells how days were read from what went wrong', () => {
  const notes = ['line 2: "tomorrow" in "Due" is read as 2026-11-30, counted from 2026-11-29, the day of the import.', 'line 9: 3 more words for days in "Due" are counted from 2026-11-29, too.', 'line 2: the dates in "Due" can be read with the day or the month first; they were read day first.', 'a.md, line 3: the text says no day, so "Send it" is due on 2026-11-30, counted from 2026-11-29, the day of the intake.']
  const wrong = ['a.csv is not read as tickets, for no column is known to hold their titles.', 'line 3: the row has no title and was left out.', 'line 4: it has the key A-1, which line 2 has too', 'The file cannot be read.']
  expect([notes.map(isReading), wrong.map(isReading)]).toEqual([[true, true, true, true], [false, false, false, false]])
})
