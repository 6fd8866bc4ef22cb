import { expect, test } from 'vitest'
import { clock, dated, day, dayName, moment, monthOf, recent, shortly } from './when'

const now = new Date(2026, 2, 20, 12, 0)
const at = (d: number, h: number, m: number) => new Date(2026, 2, d, h, m).toISOString()

test('day is written in the chosen form, without the year when it is this one', () => {
  expect([day('2026-03-06', now, 'words'), day('2026-03-06', now, 'us'), day('2026-03-06', now, 'iso')]).toEqual(['6 Mar', 'Mar 6', '2026-03-06'])
  expect([day('2025-12-31', now, 'words'), day('2025-12-31', now, 'us'), day('2025-12-31', now, 'iso')]).toEqual(['31 Dec 2025', 'Dec 31, 2025', '2025-12-31'])
})

test('day and moment leave alone what is no date', () => {
  expect([day('Sprint 7', now, 'words'), day(undefined, now, 'us'), moment('soon', now, 'iso')]).toEqual(['Sprint 7', '', 'soon'])
})

test('moment has a time, unless a day was given', () => {
  expect([moment(at(6, 15, 5), now, 'words'), moment(at(6, 15, 5), now, 'us'), moment(at(6, 15, 5), now, 'iso')]).toEqual(['6 Mar, 15:05', 'Mar 6, 3:05 PM', '2026-03-06 15:05'])
  expect(moment('2026-03-06', now, 'words')).toBe('6 Mar')
  expect([clock(at(6, 0, 7), 'us'), clock(at(6, 12, 7), 'us'), clock(at(6, 0, 7), 'words')]).toEqual(['12:07 AM', '12:07 PM', '00:07'])
})

test('dated writes the days within a text in the chosen form, and leaves alone what is part of a name', () => {
  expect(dated('8 tickets: due 2026-03-06 to 2025-12-31.', now, 'us')).toBe('8 tickets: due Mar 6 to Dec 31, 2025.')
  expect(dated(`After changes of ${at(6, 15, 5).slice(0, 10)} at ${at(6, 15, 5).slice(11, 19)} UTC`, now, 'words')).toBe('After changes of 6 Mar, 15:05')
  expect(dated('call notes-2026-03-06.md of 2026-03-06-a', now, 'words')).toBe('call notes-2026-03-06.md of 2026-03-06-a')
  expect([monthOf('2026-03-06', 'us'), monthOf('2026-03-06', 'iso'), monthOf('someday', 'us')]).toEqual(['Mar 2026', '2026-03', 'someday'])
})

test('recent and shortly say less of what is near', () => {
  expect([recent(at(20, 9, 30), now, 'words'), recent(at(19, 9, 30), now, 'words')]).toEqual(['09:30', '19 Mar, 09:30'])
  expect([shortly(at(20, 9, 30), now, 'words'), shortly(at(19, 9, 30), now, 'words')]).toEqual(['09:30', '19 Mar'])
})

test('dayName calls days as people do', () => {
  expect([dayName(at(20, 1, 0), now, 'words'), dayName(at(19, 23, 0), now, 'words'), dayName(at(6, 1, 0), now, 'words')]).toEqual(['Today', 'Yesterday', 'Friday, 6 Mar'])
})
