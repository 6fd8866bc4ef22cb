import { expect, test } from 'vitest'
import { after } from './rows'

test('the chosen row stays chosen wherever it moves', () => {
  expect(after(['a', 'b', 'c'], 'c', 0)).toBe(2)
})

test('the row that takes the place of one that is gone is chosen', () => {
  expect(after(['a', 'c'], 'b', 1)).toBe(1)
  expect(after(['a'], 'c', 2)).toBe(0)
})

test('at first the first row is chosen, and none of an empty list', () => {
  expect(after(['a', 'b'], '', 0)).toBe(0)
  expect(after([], 'a', 0)).toBe(-1)
})
