import { expect, test } from 'vitest'
import { fits, fitting } from './Chooser'

test('fits takes letters in their order, the first at the beginning of a word', () => {
  expect(fits('Dana Reyes', 'dr')).toBe(true)
  expect(fits('Dana Reyes', 'rey')).toBe(true)
  expect(fits('Dana Reyes', 'ana')).toBe(false)
  expect(fits('In progress', 'ip')).toBe(true)
  expect(fits('In progress', 'in prog')).toBe(true)
  expect(fits('Done', 'x')).toBe(false)
  expect(fits('Done', '')).toBe(true)
})

test('fitting has what is read first, and else what the letters may mean, in order', () => {
  const read = { value: '2026-03-06', title: 'Mar 6' }
  const all = [read, { value: 'Dana Reyes', title: 'Dana Reyes' }, { value: 'Mei Lin', title: 'Mei Lin', words: 'designer' }, { value: 'Joe Martinez', title: 'Joe Martinez' }]
  expect(fitting(all, 'mei', undefined).map((o) => o.title)).toEqual(['Mei Lin', 'Joe Martinez'])
  expect(fitting(all, 'design', undefined).map((o) => o.title)).toEqual(['Mei Lin'])
  expect(fitting(all, '6 mar', read)[0]).toBe(read)
  expect(fitting(all, '', undefined)).toHaveLength(4)
})
