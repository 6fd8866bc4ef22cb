import { expect, test } from 'vitest'
import { type Comment, eventsOf, isAgent, type Proof, type Revised, timeline } from './happened'

const change = (eventId: string, at: string, by: string, runId = 'run_1') => ({ eventId, at, by: [by], runId, op: 'updated' }) as Revised
const comment = (id: string, createdAt: string) => ({ id, createdAt }) as Comment

test('isAgent tells agents from persons and the daemon', () => {
  expect(['agent:pm', 'agent:person/per_1', 'agent:chela', undefined].map(isAgent)).toEqual([true, false, false, false])
})

test('timeline has the last first, and an agent’s run as one', () => {
  const all = timeline([
    change('1', '2026-03-01T10:00:00Z', 'agent:person/per_1'), change('2', '2026-03-02T10:00:00Z', 'agent:pm', 'run_2'), change('3', '2026-03-02T10:00:05Z', 'agent:pm', 'run_2'), change('4', '2026-03-04T10:00:00Z', 'agent:pm', 'run_3'),
  ], [comment('c', '2026-03-03T10:00:00Z')], [{ seq: 7, at: '2026-03-03T11:00:00Z' } as Proof])
  expect(all.map((h) => h.key)).toEqual(['run run_3', 'proof 7', 'comment c', 'run run_2', 'event 1'])
  expect(all.map(eventsOf)).toEqual([['4'], [], [], ['2', '3'], ['1']])
})
