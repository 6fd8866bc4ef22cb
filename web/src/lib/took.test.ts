import { expect, test } from 'vitest'
import { few, took, usd } from './took'

test('a time is as short as one reads it', () => {
  expect([0, -5, 0.2, 12.4, 999, 1_230, 12_340, 61_000, 3_661_000, 90_000_000].map(took)).toEqual(['0 ms', '0 ms', '<1 ms', '12 ms', '999 ms', '1.23 s', '12.3 s', '1 m 01 s', '1 h 01 m', '1 d 01 h'])
})

test('numbers are few characters', () => {
  expect([0, 950, 1_234, 34_000, 1_500_000].map(few)).toEqual(['0', '950', '1.2k', '34k', '1.5M'])
  expect([0, 0.00001, 0.0042, 0.12345, 12.345].map(usd)).toEqual(['0', '<0.0001', '0.0042', '0.123', '12.35'])
})
