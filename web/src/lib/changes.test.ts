import { expect, test } from 'vitest'
import { grouped, shown, spoken } from './changes'

test('a value is shown as people read it', () => {
  expect(shown(undefined)).toBe('')
  expect(shown(['a', 'b'])).toBe('a, b')
  expect(shown([{ text: 'Rollback tried', checked: true }])).toBe('Rollback tried')
  expect([shown(false), shown('UNPROVEN'), shown('API')]).toEqual(['no', 'Unproven', 'API'])
  expect(shown('x'.repeat(500))).toHaveLength(160)
})

test('a name of the API is words', () => {
  expect(spoken('dueDate')).toBe('due date')
  expect(spoken('objectiveIds')).toBe('objective')
  expect(spoken('delta_pack')).toBe('delta pack')
})

test('changes stand under their kind, the last one first', () => {
  const diff = (id: string, kind: string, at: string) => ({ id, kind, at, title: id, op: 'updated', changes: 1, by: [] })
  const lines = grouped([diff('a', 'ticket', '1'), diff('b', 'objective', '2'), diff('c', 'ticket', '3')])
  expect(lines.map((l) => ('kind' in l ? `${l.kind} ${l.count}` : l.diff.id))).toEqual(['ticket 2', 'c', 'a', 'objective 1', 'b'])
})
