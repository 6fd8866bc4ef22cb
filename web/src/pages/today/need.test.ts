import { expect, test } from 'vitest'
import { needsOf } from './need'

test('today needs what concerns its project, and what is of none', () => {
  const of = (id: string, project?: string, more = {}) => ({ id, ...(project && { project }), ...more })
  const all = {
    approvals: [of('a1', 'p1'), of('a2', 'p2'), of('a3')],
    notes: [of('n1', 'p1', { reason: 'FINDING' }), of('n2', 'p2', { reason: 'FINDING' }), of('n3', undefined, { reason: 'FAILED', run: 'r3' }), of('n4', 'p1', { reason: 'DUE' })],
    failed: [of('r1', 'p1'), of('r2', 'p2'), of('r3')],
    conversations: [of('c1', 'p1', { unread: 1 }), of('c2', 'p2', { unread: 2 }), of('c3', undefined, { unread: 0 })],
  }
  all.notes.push(of('n5', 'p1', { reason: 'REMINDER', thread: 'c4' }))
  all.conversations.push(of('c4', undefined, { unread: 1, title: 'Reminders' }))
  expect(needsOf('p1', all as never).map((n) => n.id)).toEqual(['need a3', 'need a1', 'need n5', 'need n3', 'need n1', 'need r1', 'need c1'])
})
