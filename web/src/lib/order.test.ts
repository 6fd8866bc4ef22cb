import { expect, test } from 'vitest'
import { ordered, titleOf } from './order'

test('fields come in the order in which people read them, without the title and what is empty', () => {
  const body = { zeta: 1, dueDate: '2026-03-01', status: 'TODO', title: 'T', labels: [], sprint: '', sources: [{}], pinned: false }
  expect(ordered('ticket', body, 'Joe').map(([k]) => k)).toEqual(['status', 'owner', 'dueDate', 'pinned', 'zeta'])
})

test('a record is called by what people know it by', () => {
  expect(titleOf({ outcome: 'O', name: '' })).toBe('O')
  expect(titleOf({ content: 'x'.repeat(500) })).toHaveLength(200)
  expect(titleOf({ percentageAllocation: 50 })).toBe('')
})

test('a content that is longer than the title is shown whole', () => {
  const content = 'x'.repeat(500)
  expect(ordered('memory', { content })).toEqual([['content', content]])
})
