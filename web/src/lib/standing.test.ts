import { expect, test } from 'vitest'
import { graphOf } from './graph'
import { step } from './graph.fixture'
import { type Change, led, stood, sums, until } from './standing'

let seq = 0
const change = (path: string, more: Partial<Change>): Change => {
  seq += 1
  return { seq, at: `2026-03-01T00:00:0${seq}Z`, ...(path ? { path } : {}), ...more }
}
const changes = [
  change('', { state: 'running' }),
  change('write', { state: 'started' }),
  change('write', { costUsd: 0.25, tokens: 100 }),
  change('write', { found: [{ condition: 'long', met: true }, { condition: 'cites', met: false }] }),
  change('write', { state: 'failed', says: 'Not met: cites.', attempt: 2 }),
  change('', { state: 'failed', says: 'The step write failed.' }),
]

test('the changes until a moment say how it stood', () => {
  expect([until(changes, ''), until(changes, '2'), until(changes, '#3'), until(changes, '2026-02-28'), until(changes, '2026-03-01'), until(changes, '2026-03-01T00:00:04Z'), until(changes, 'nonsense')]).toEqual([6, 2, 3, 0, 6, 4, 6])
  const early = stood(changes, 3)
  expect([early.state, early.usd, early.steps.get('write')?.state, early.steps.get('write')?.ended]).toEqual(['running', 0.25, 'started', ''])
  const now = stood(changes)
  expect([now.state, now.says]).toEqual(['failed', 'The step write failed.'])
  expect(now.steps.get('write')).toMatchObject({ state: 'failed', says: 'Not met: cites.', attempt: 2, usd: 0.25, tokens: 100, began: changes[1]?.at, ended: changes[4]?.at })
})

test('the steps of a map are summed up at their step, with the gravest state', () => {
  const g = graphOf([step('each'), step('each.write'), step('call')])
  const at = stood([
    change('each', { state: 'started' }), change('each[0].write', { state: 'done', tokens: 5 }), change('each[1].write', { state: 'waiting', says: 'May it?', tokens: 6 }), change('each[2].write', { state: 'started' }),
    change('call', { state: 'started' }), change('call#1.inner', { state: 'failed', costUsd: 1 }),
  ])
  const all = sums(at, g)
  expect(all.get('each.write')).toMatchObject({ state: 'waiting', says: 'May it?', runs: 3, done: 1, tokens: 11, ended: '' })
  expect(all.get('call')).toMatchObject({ state: 'started', usd: 1, runs: 1 })
})

test('an edge was taken when its outcome came and what follows was begun', () => {
  const all = sums(stood([change('a', { state: 'done' }), change('b', { state: 'failed' }), change('c', { state: 'started' }), change('d', { state: 'skipped' })]), graphOf(['a', 'b', 'c', 'd'].map((p) => step(p))))
  const at = (path: string) => all.get(path)
  expect([led(at('a'), at('c'), ''), led(at('b'), at('c'), ''), led(at('b'), at('c'), 'error'), led(at('a'), at('d'), 'go'), led(at('a'), undefined, '')]).toEqual([true, false, true, false, false])
})
