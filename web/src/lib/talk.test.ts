import { expect, test } from 'vitest'
import type { Schemas } from '../api/client'
import { callsOf, initials, linesOf, type Message, mentioned, naming } from './talk'

const said = (seq: number, actor: string, at: string): Message => ({ seq, id: `m${seq}`, actor, at, message: 'x', role: 'agent', run: 'r', thread: 't' })
const event = (seq: number, type: string, payload: unknown): Schemas['Logged'] => ({ seq, type, payload, id: `e${seq}`, at: '', from: 'agent:pm', hash: '', run_id: 'r', task_id: 'task', thread_id: 't', stream: '', stream_seq: 1 })
const kinds = (all: ReturnType<typeof linesOf>) => all.map((i) => (i.kind === 'message' ? `${i.message.id}${i.follows ? '+' : ''}` : i.kind === 'calls' ? i.calls.map((c) => c.tool).join('&') : i.kind))

test('messages of one sender stand together, days and what is new are parted', () => {
  const messages = [said(1, 'me', '2026-03-01T10:00:00'), said(2, 'pm', '2026-03-01T10:01:00'), said(3, 'pm', '2026-03-01T10:02:00'), said(4, 'pm', '2026-03-01T10:30:00'), said(5, 'pm', '2026-03-02T10:30:00')]
  expect(kinds(linesOf(messages, [], 0, 'me', true))).toEqual(['day', 'm1', 'm2', 'm3+', 'm4', 'day', 'm5'])
  expect(kinds(linesOf(messages, [], 2, 'me', true))).toEqual(['day', 'm1', 'm2', 'new', 'm3', 'm4', 'day', 'm5'])
  expect(kinds(linesOf(messages, [], 5, 'me', true))).not.toContain('new')
  expect(kinds(linesOf(messages, [], 4, 'pm', true))).not.toContain('new')
})

test('uses of tools stand where they were, with what came of them', () => {
  const calls = callsOf([
    event(9, 'tool.error', { call: 'b', error: 'no' }), event(4, 'tool.call', { call: 'a', tool: 'one', args: { x: 1 } }), event(5, 'tool.result', { call: 'a', result: 'yes', ms: 3 }),
    event(8, 'tool.call', { call: 'b', tool: 'two' }), event(12, 'tool.call', { call: 'c', tool: 'three' }), event(13, 'tool.error', { call: 'd', tool: 'four', error: 'There is no such tool.' }),
  ])
  expect(calls.map((c) => [c.tool, c.result, c.failed])).toEqual([['one', 'yes', false], ['two', 'no', true], ['three', undefined, undefined], ['four', 'There is no such tool.', true]])
  const messages = [said(3, 'me', '2026-03-01T10:00:00'), said(10, 'pm', '2026-03-01T10:01:00')]
  expect(kinds(linesOf(messages, calls, 0, 'me', true))).toEqual(['day', 'm3', 'one&two', 'm10', 'three&four'])
  expect(kinds(linesOf(messages.slice(1), calls, 0, 'me', false))).toEqual(['day', 'm10', 'three&four'])
})

test('an agent is named at the beginning, and completed anywhere', () => {
  expect(mentioned('@pm what is late?', ['pm'])).toBe('pm')
  expect(mentioned('ask @pm', ['pm'])).toBe('')
  expect(mentioned('@nobody hello', ['pm'])).toBe('')
  expect(naming('hello @p', 8)).toBe('p')
  expect(naming('@', 1)).toBe('')
  expect(naming('ann@example', 11)).toBeUndefined()
})

test('a name has initials', () => {
  expect(['Ann Lee', 'pm', 'Ülkü', 'delta-finder', ''].map(initials)).toEqual(['AL', 'PM', 'ÜL', 'DF', '?'])
})
