import { expect, test } from 'vitest'
import { grouped, type Note, placeOf, settled } from './inbox'

const note = (id: string, reason: string, more: Partial<Note> = {}): Note => ({ id, reason, title: id, at: '2026-03-10T12:00:00Z', ...more }) as Note

test('grouped puts what waits for an answer first and leaves out no reason', () => {
  const all = [note('1', 'COMMENT'), note('2', 'APPROVAL'), note('3', 'COMMENT'), note('4', 'NEWLY_MADE')]
  expect(grouped(all).map((g) => [g.reason, g.notes.map((n) => n.id)])).toEqual([['APPROVAL', ['2']], ['COMMENT', ['1', '3']], ['NEWLY_MADE', ['4']]])
})

test('settled counts what is left open and what is not read', () => {
  const box = { items: [note('1', 'DUE'), note('2', 'DUE'), note('3', 'DUE', { readAt: '2026-03-10T12:01:00Z' })], open: 3, unread: 2 }
  expect(settled(box, ['1'], 'done')).toMatchObject({ open: 2, unread: 1 })
  expect(settled(box, ['1', '2'], 'read')).toMatchObject({ open: 3, unread: 0 })
  expect(settled(undefined, ['1'], 'done')).toBeUndefined()
})

test('placeOf leads to what a notification is about', () => {
  expect(placeOf(note('1', 'MENTION', { record: 'tkt_1', run: 'run_1', project: 'prj_1' }))).toEqual({ to: '/records/$id', params: { id: 'tkt_1' }, search: { project: 'prj_1' } })
  expect(placeOf(note('1', 'APPROVAL', { run: 'run_1', approval: 'apr_1' }))).toEqual({ to: '/approvals' })
  expect(placeOf(note('1', 'FAILED', { run: 'run_1' }))).toEqual({ to: '/runs/$id', params: { id: 'run_1' } })
  expect(placeOf(note('1', 'COMMENT', { thread: 'thr_1' }))).toEqual({ to: '/chat', search: { thread: 'thr_1' } })
})
