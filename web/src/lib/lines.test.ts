import { expect, test } from 'vitest'
import { graphOf } from './graph'
import { step } from './graph.fixture'
import type { Point } from './layout'
import { type Laying, lineOf, near } from './lines'

const graph = graphOf([step('a'), { ...step('gate', ['a']), cases: ['go', 'hold'] }, step('b', ['gate.hold']), step('c', ['a.error']), step('each'), step('each.x'), step('each.y', ['each.x'])])
const box = (x: number, y: number) => ({ x, y, w: 100, h: 40 })
const boxes = new Map([['a', box(0, 0)], ['gate', box(200, 0)], ['b', box(400, 0)], ['c', box(0, 200)], ['each', { x: 1000, y: 500, w: 400, h: 200 }], ['each.x', box(20, 50)], ['each.y', box(200, 50)]])
const on: Laying = { graph, boxes, routes: new Map(), way: 'right', half: 4 }
const line = (id: string, more: Partial<Laying> = {}) => lineOf(graph.edges.find((e) => e.id === id) as (typeof graph.edges)[number], { ...on, ...more })
const ends = (d = '') => d.split(' M')[0]?.match(/-?[\d.]+,-?[\d.]+/g)?.filter((_, i, all) => i === 0 || i === all.length - 1)

test('a line leads from one step to the other, from the place of its case, and from below where it leads on after an error', () => {
  expect(ends(line('a.>gate')?.d)).toEqual(['104,20', '196,20'])
  expect(ends(line('gate.hold>b')?.d)?.[0]).toMatch(/^304,26\.6/)
  expect(ends(line('a.error>c')?.d)).toEqual(['50,44', '-4,220'])
  expect(ends(line('a.>gate', { way: 'down' })?.d)).toEqual(['50,44', '250,-4'])
  expect(ends(line('a.error>c', { way: 'down' })?.d)?.[0]).toBe('104,20')
})

test('a line within a step lies where that lies, above it and below the steps in it', () => {
  const found = line('each.x.>each.y')
  expect([ends(found?.d), found?.depth]).toEqual([['1124,570', '1196,570'], 1])
  expect(line('a.>gate')?.depth).toBe(0)
})

test('a line goes by its points, and its head looks where it leads', () => {
  const by = (points: Point[]) => line('a.>gate', { routes: new Map([['a.>gate', points]]) })?.d ?? ''
  expect(by([{ x: 150, y: 90 }])).toContain('150,90')
  expect(by([{ x: 150, y: 90 }])).toContain('M191.6,16.5 L196,20')
  expect(by([{ x: 300, y: 90 }])).toContain('M200.4,16.5 L196,20')
})

test('an edge of a step that lies nowhere has no line', () => expect(line('a.>gate', { boxes: new Map([['a', box(0, 0)]]) })).toBeUndefined())

test('an edge is near its ends, and near what they lie in', () => {
  const edge = graph.edges.find((e) => e.to === 'each.y') as (typeof graph.edges)[number]
  expect(['each', 'each.x', 'each.y', 'eac', 'a'].filter((p) => near(edge, p))).toEqual(['each', 'each.x', 'each.y'])
})
