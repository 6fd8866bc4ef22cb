import { expect, test } from 'vitest'
import { csv } from './csv'

test('a table becomes lines, numbers as they are', () => {
  expect(csv(['Day', 'Scope'], [['2026-03-01', 12.5], ['2026-03-02', null]])).toBe('Day,Scope\r\n2026-03-01,12.5\r\n2026-03-02,\r\n')
})

test('what has commas, quotes or lines is quoted', () => {
  expect(csv(['a'], [['x, "y"\nz']])).toBe('a\r\n"x, ""y""\nz"\r\n')
})

test('no text is taken for a formula; a negative number stays one', () => {
  for (const evil of ['=1+1', '+1', '-1+cmd', '@SUM(A1)', '\tx', '\r=1']) expect(csv(['a'], [[evil]])).toContain(`'${evil}`)
  expect(csv(['=a'], [[-3]])).toBe("'=a\r\n-3\r\n")
})
