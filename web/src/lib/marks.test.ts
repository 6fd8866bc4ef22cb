import { expect, test } from 'vitest'
import { every, none, ranged, toggled } from './marks'

const all = ['a', 'b', 'c', 'd', 'e']

test('a row is marked and unmarked', () => {
  expect(toggled(none, 'b').ids).toEqual(['b'])
  expect(toggled(toggled(none, 'b'), 'b').ids).toEqual([])
})

test('a range grows and shrinks from where it began, in both directions', () => {
  const one = ranged(none, all, 'b', 'c')
  expect(one.ids).toEqual(['b', 'c'])
  const more = ranged(one, all, 'c', 'd')
  expect(more.ids).toEqual(['b', 'c', 'd'])
  expect(ranged(more, all, 'd', 'c').ids).toEqual(['b', 'c'])
  expect(ranged(more, all, 'd', 'a').ids).toEqual(['a', 'b'])
})

test('a range begins at the row that was marked last and keeps what was marked before', () => {
  const marked = toggled(toggled(none, 'a'), 'c')
  expect(ranged(marked, all, 'e', 'd').ids).toEqual(['a', 'c', 'd'])
})

test('an anchor that is no longer in the list is left', () => {
  expect(ranged(toggled(none, 'gone'), all, 'b', 'c').ids).toEqual(['gone', 'b', 'c'])
  expect(every(all).ids).toEqual(all)
})
