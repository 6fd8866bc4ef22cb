import { expect, test } from 'vitest'
import { longOf, quicksOf, type Rec, factOf } from './quick'

test('quicksOf has keys for what a kind has, none for what it has not', () => {
  expect(quicksOf('ticket').map((q) => q.key + q.field)).toEqual(['sstatus', 'aowner', 'ddueDate', 'ppriority'])
  expect(quicksOf('milestone').map((q) => q.field)).toContain('targetDate')
  expect(quicksOf('nothing')).toEqual([])
})

test('factOf finds the owner beside the body', () => {
  const r = { body: { status: 'TODO', storyPoints: 3 }, owner: 'Dana' } as unknown as Rec
  expect([factOf(r, 'status'), factOf(r, 'owner'), factOf(r, 'storyPoints'), factOf(r, 'dueDate')]).toEqual(['TODO', 'Dana', '', ''])
})

test('longOf is the text that is written in place, not the one that names the record', () => {
  expect(longOf('ticket')).toBe('description')
  expect(longOf('objective')).toBeUndefined()
})
