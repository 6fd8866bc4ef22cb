import { expect, test } from 'vitest'
import { graphOf } from './graph'
import { step } from './graph.fixture'
import { absolute, type Box, layout } from './layout'

const sizes = { w: 200, h: 60, head: 30, room: 20, between: 40 }
const graph = graphOf([step('a'), step('b', ['a']), step('c', ['a']), step('each', ['b', 'c']), step('each.x'), step('each.y', ['each.x']), step('end', ['each'])])
const meet = (a: Box, b: Box) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h

test('each step lies after what it needs, and none over another', () => {
  for (const way of ['right', 'down'] as const) {
    const { boxes } = layout(graph, way, sizes)
    const at = (path: string) => boxes.get(path) as Box
    for (const e of graph.edges) {
      const [from, to] = [at(e.from), at(e.to)]
      expect(way === 'right' ? from.x + from.w <= to.x : from.y + from.h <= to.y, `${way}: ${e.id}`).toBe(true)
    }
    const top = ['a', 'b', 'c', 'each', 'end'].map(at)
    expect(top.some((a, i) => top.some((b, j) => i < j && meet(a, b)))).toBe(false)
  }
})

test('what is in a map lies within it', () => {
  const { boxes } = layout(graph, 'right', sizes)
  const each = boxes.get('each') as Box
  for (const path of ['each.x', 'each.y']) {
    const b = boxes.get(path) as Box
    expect([b.x >= 0, b.y >= sizes.head, b.x + b.w <= each.w, b.y + b.h <= each.h]).toEqual([true, true, true, true])
    expect(absolute(path, graph, boxes)).toEqual({ ...b, x: b.x + each.x, y: b.y + each.y })
  }
})

test('what was placed by hand lies there, and its map holds it', () => {
  const { boxes } = layout(graph, 'right', sizes, { a: { x: -500, y: 7 }, 'each.y': { x: 900, y: 300 } })
  expect(boxes.get('a')).toMatchObject({ x: -500, y: 7 })
  expect(boxes.get('each')?.w).toBeGreaterThanOrEqual(900 + sizes.w)
})

test('a circle, as a draft may have one, is placed all the same', () => {
  expect(layout(graphOf([step('a', ['b']), step('b', ['a'])]), 'right', sizes).boxes.size).toBe(2)
})

test('an edge goes round what lies between its steps', () => {
  const g = graphOf([step('a'), step('b', ['a']), step('c', ['a', 'b'])])
  const { boxes, routes } = layout(g, 'right', sizes)
  const b = boxes.get('b') as Box
  const round = routes.get('a.>c') ?? []
  expect(round.length).toBeGreaterThan(0)
  for (const at of round) expect(at.y < b.y || at.y > b.y + b.h, `${at.y} is within ${b.y} to ${b.y + b.h}`).toBe(true)
  expect(layout(g, 'right', sizes, { c: { x: 0, y: 0 } }).routes.has('a.>c')).toBe(false)
})
