import { expect, test } from 'vitest'
import { graphOf, groups, nodeOf } from './graph'
import { step } from './graph.fixture'


test('edges know the outcome that leads on, also within a map', () => {
  const g = graphOf([step('gate'), step('yes', ['gate.go']), step('each', ['yes', 'gate.hold']), step('each.gate'), step('each.write', ['each.gate.go']), step('lost', ['nobody'])])
  expect(g.edges.map((e) => [e.from, e.outcome, e.to])).toEqual([['gate', 'go', 'yes'], ['yes', '', 'each'], ['gate', 'hold', 'each'], ['each.gate', 'go', 'each.write']])
  expect([...groups(g)]).toEqual(['each'])
})

test('a step of an instance belongs to the step of the file that it is of, or lies in', () => {
  const { steps } = graphOf([step('each'), step('each.write'), step('call')])
  expect(['each[2].write', 'each[0]#2~1.write', 'each', 'call#1.inner', 'call#1.each[3].x', 'gone'].map((p) => nodeOf(p, steps))).toEqual(['each.write', 'each.write', 'each', 'call', 'call', ''])
})
