import { expect, test } from 'vitest'
import { graphOf } from './graph'
import { step } from './graph.fixture'
import { layout, type Way } from './layout'
import { type Arrow, firstOf, walk } from './walk'

const sizes = { w: 200, h: 60, head: 30, room: 20, between: 40 }
const graph = graphOf([step('a'), step('b', ['a']), step('c', ['a']), step('each', ['b', 'c']), step('each.x'), step('each.y', ['each.x']), step('end', ['each'])])

test.each<[Way, Arrow, Arrow, Arrow, Arrow]>([['right', 'right', 'left', 'up', 'down'], ['down', 'down', 'up', 'left', 'right']])('edges lead %s', (way, on, back, less, more) => {
  const { boxes } = layout(graph, way, sizes)
  const go = (from: string, ...arrows: Arrow[]) => arrows.reduce((at, arrow) => walk(graph, boxes, way, at, arrow), from)
  expect(['b', 'c']).toContain(go('a', on))
  expect(go('a', on, on, on)).toBe('end')
  expect(go('end', back, back, back)).toBe('a')
  expect([go('b', more), go('b', less)].sort()).toEqual(expect.arrayContaining(['c']))
  expect(go('each', more)).toBe('each.x')
  expect(go('each', more, on)).toBe('each.y')
  expect(go('each.x', back)).toBe('each')
  expect(go('each.y', less)).toBe('each')
  expect(go('a', back)).toBe('a')
  expect(go('end', on)).toBe('end')
})

test('the keyboard begins at the first step', () => {
  expect(firstOf(graph)).toBe('a')
  expect(firstOf(graphOf([]))).toBe('')
})
