import { expect, test } from 'vitest'
import { rail, stale, views } from './views'

test('a change of a ticket makes tickets, counts and capacity stale', () => {
  expect(stale('desk.ticket.updated').sort()).toEqual(['capacity', 'counts', 'record', 'ticket', 'today'])
})

test('an assignment makes the tickets stale, whose rows name the owner', () => {
  expect(stale('desk.assignment.created')).toContain('ticket')
})

test('a message makes conversations stale, a mark only their list, an unknown type nothing', () => {
  expect(stale('chat.message')).toEqual(['conversation', 'message'])
  expect(stale('session.read')).toEqual(['conversation'])
  expect(stale('org.layout.saved')).toEqual(['layout'])
  expect(stale('log.note')).toEqual([])
})

test('a revoked token and a new role make the persons stale, and with them their tokens', () => {
  expect(stale('org.token.revoked')).toContain('person')
  expect(stale('org.person.changed')).toContain('person')
})

test('models are asked about again when they are configured or one gives way, not after each call', () => {
  expect(stale('model.configured')).toContain('model')
  expect(stale('model.rotated')).toContain('model')
  expect(stale('model.chosen')).toContain('model')
  expect(stale('model.called')).not.toContain('model')
})

test('the rail has three groups and at most twelve entries with the page of all views', () => {
  expect(rail.map((g) => g.name)).toEqual(['Work', 'Sources', 'Agents'])
  expect(rail.flatMap((g) => g.views).length + 1).toBeLessThanOrEqual(12)
})

test('no two views have the same key or code', () => {
  for (const name of ['key', 'code', 'to'] as const) expect(new Set(views.map((v) => v[name])).size).toBe(views.length)
})
