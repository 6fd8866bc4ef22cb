import { expect, test } from 'vitest'
import { fits } from './Chooser'

test('fits takes letters in their order, the first at the beginning of a word', () => {
  expect(fits('Dana Reyes', 'dr')).toBe(true)
  expect(fits('Dana Reyes', 'rey')).toBe(true)
  expect(fits('Dana Reyes', 'ana')).toBe(false)
  expect(fits('In progress', 'ip')).toBe(true)
  expect(fits('In progress', 'in prog')).toBe(true)
  expect(fits('Done', 'x')).toBe(false)
  expect(fits('Done', '')).toBe(true)
})
