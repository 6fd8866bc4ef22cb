import { expect, test } from 'vitest'
import { about, fullness, hoursless } from './load'

test('a load says whether it is an estimate, and whether it was cut', () => {
  expect(about({}, '~')).toBe('')
  expect(about({ estimate: 'an estimate at 4 hours a point' }, 'about ')).toBe('about ')
  expect(about({ estimate: 'an estimate at 4 hours a point', estimateCut: true }, '~')).toBe('over ')
})

test('who has no hours has no percentage, and with work more than a full week', () => {
  expect([hoursless('OVERLOADED', 0), hoursless('AWAY', 0), hoursless('IDLE', 0), hoursless('OVERLOADED', 130), hoursless('BALANCED', 90)]).toEqual([true, true, false, false, false])
  expect([fullness('OVERLOADED', 130), fullness('OVERLOADED', 0), fullness('BALANCED', 100), fullness('AWAY', 0)]).toEqual([130, 100.5, 100, 0])
})
