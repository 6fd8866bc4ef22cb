import { expect, test } from 'vitest'
import { through } from './route'

test('a line goes by its points, level at each, and has its label at the middle one', () => {
  const points = [{ x: 0, y: 0 }, { x: 100, y: 50 }, { x: 200, y: 0 }]
  expect(through(points, true)).toEqual(['M0,0 C50,0 50,50 100,50 C150,50 150,0 200,0', 100, 50])
  expect(through(points, false)[0]).toBe('M0,0 C0,25 100,25 100,50 C100,25 200,25 200,0')
})
