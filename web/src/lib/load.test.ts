import { expect, test } from 'vitest'
import { about } from './load'

test('a load says whether it is an estimate, and whether it was cut', () => {
  expect(about({}, '~')).toBe('')
  expect(about({ estimate: 'an estimate at 4 hours a point' }, 'about ')).toBe('about ')
  expect(about({ estimate: 'an estimate at 4 hours a point', estimateCut: true }, '~')).toBe('over ')
})
