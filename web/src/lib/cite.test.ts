import { expect, test } from 'vitest'
import { pieces } from './cite'

test('ids become pieces of their own, with or without brackets', () => {
  const id = 'tkt_06gzrxrwyzjtx898pvaye58b20'
  expect(pieces(`See [${id}] and ${id}.`)).toEqual([{ text: 'See ' }, { text: id, id }, { text: ' and ' }, { text: id, id }, { text: '.' }])
  expect(pieces('nothing here')).toEqual([{ text: 'nothing here' }])
})
