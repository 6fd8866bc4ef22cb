import { expect, test } from 'vitest'
import { leave } from './LongList'

test('heights of rows that are gone are forgotten, those of others stay', () => {
  const heights = new Map<unknown, unknown>([['1', 22], ['2', 23], ['9', 40]])
  leave(heights, 3, (i) => String(i + 1))
  expect([...heights]).toEqual([['1', 22], ['2', 23]])
})
