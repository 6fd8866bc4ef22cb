import { expect, test } from 'vitest'
import { changed, type Ticket } from './useTickets'

const ticket = (id: string, status: string) => ({ id, body: { title: id, status, priority: 'LOW' } }) as Ticket
const list = (...items: Ticket[]) => ({ pageParams: [''], pages: [{ items, total: items.length, next: '' }] }) as never
const shown = (data: ReturnType<typeof changed>) => data?.pages.map((p) => [p.total, ...(p.items ?? []).map((t) => `${t.id}:${t.body.status}`)])

test('in a list of all statuses a moved ticket stays in its place', () => {
  expect(shown(changed(list(ticket('a', 'TODO'), ticket('b', 'TODO')), '', ticket('a', 'TODO'), 'DONE'))).toEqual([[2, 'a:DONE', 'b:TODO']])
})

test('on a board it leaves its column and comes first in the other', () => {
  expect(shown(changed(list(ticket('a', 'TODO'), ticket('b', 'TODO')), 'TODO', ticket('a', 'TODO'), 'DONE'))).toEqual([[1, 'b:TODO']])
  expect(shown(changed(list(ticket('c', 'DONE')), 'DONE', ticket('a', 'TODO'), 'DONE'))).toEqual([[2, 'a:DONE', 'c:DONE']])
  expect(shown(changed(list(ticket('c', 'REVIEW')), 'REVIEW', ticket('a', 'TODO'), 'DONE'))).toEqual([[1, 'c:REVIEW']])
})

test('a list that does not have it and shows all statuses stays', () => {
  expect(shown(changed(list(ticket('c', 'REVIEW')), '', ticket('a', 'TODO'), 'DONE'))).toEqual([[1, 'c:REVIEW']])
})
