import { expect, test } from 'vitest'
import { stale } from './live'

test('a change of a ticket makes tickets, counts and capacity stale', () => {
  expect(stale('desk.ticket.updated')).toEqual(['ticket', 'counts', 'capacity', 'record'])
})

test('an assignment makes the tickets stale, whose rows name the owner', () => {
  expect(stale('desk.assignment.created')).toContain('ticket')
})

test('a message makes conversations stale, an unknown type nothing', () => {
  expect(stale('chat.message')).toEqual(['conversation'])
  expect(stale('log.note')).toEqual([])
})

test('a revoked token and a new role make the persons stale, and with them their tokens', () => {
  expect(stale('org.token.revoked')).toContain('person')
  expect(stale('org.person.changed')).toContain('person')
})
