import { expect, test } from 'vitest'
import { moved, zoomed } from './zoom'

test('a chart is zoomed into its middle and out again', () => {
  expect(zoomed({ from: 0, to: 39 }, 40, 'in')).toEqual({ from: 10, to: 29 })
  expect(zoomed({ from: 10, to: 29 }, 40, 'out')).toEqual({ from: 0, to: 39 })
  expect(zoomed({ from: 0, to: 39 }, 40, 'out')).toEqual({ from: 0, to: 39 })
  expect(zoomed({ from: 30, to: 39 }, 40, 'out')).toEqual({ from: 20, to: 39 })
})

test('it shows four names at least, or as many as there are', () => {
  expect(zoomed({ from: 0, to: 4 }, 5, 'in')).toEqual({ from: 1, to: 4 })
  expect(zoomed({ from: 0, to: 1 }, 2, 'in')).toEqual({ from: 0, to: 1 })
})

test('it is moved to either end and no further', () => {
  expect(moved({ from: 10, to: 29 }, 40, 1)).toEqual({ from: 15, to: 34 })
  expect(moved({ from: 18, to: 37 }, 40, 1)).toEqual({ from: 20, to: 39 })
  expect(moved({ from: 2, to: 5 }, 40, -1)).toEqual({ from: 1, to: 4 })
  expect(moved({ from: 0, to: 3 }, 40, -1)).toEqual({ from: 0, to: 3 })
})
