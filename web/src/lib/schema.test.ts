import { expect, test } from 'vitest'
import { empty, read, shownAs, takes } from './schema'

test('a field takes what its schema says', () => {
  const all = [takes({ enum: ['a'] }, 'x'), takes({ const: true }, 'x'), takes({ type: 'integer' }, 'x'), takes({ type: 'string' }, 'name'), takes({ type: 'string' }, 'task'), takes({ type: 'array', items: { type: 'string' } }, 'x')]
  expect(all).toEqual(['choice', 'yes', 'number', 'line', 'text', 'lines'])
  expect([takes({ type: 'array', items: { properties: {} } }, 'x'), takes({ type: 'object', properties: {} }, 'x'), takes({ type: 'object' }, 'x'), takes({}, 'x')]).toEqual(['list', 'fields', 'value', 'value'])
})

test('what a field shows is read as it was', () => {
  for (const [v, as] of [[3, 'number'], ['one', 'line'], [['a', 'b'], 'lines'], [{ a: [1, 'x'] }, 'value'], [true, 'value'], ['a text', 'value'], [4, 'value']] as const) expect(read(shownAs(v, as), as, {}, false)).toEqual({ value: v })
})

test('what does not fit is wrong, and nothing takes a property away', () => {
  expect(read('x', 'number', {}, false)).toHaveProperty('wrong')
  expect(read('1.5', 'number', { type: 'integer' }, false)).toHaveProperty('wrong')
  expect(read('0', 'number', { minimum: 1 }, false)).toEqual({ wrong: 'It is at least 1.' })
  expect(read('{"a": ', 'value', {}, false)).toHaveProperty('wrong')
  expect(read('soon', 'line', { pattern: '^[0-9]+m$' }, false)).toHaveProperty('wrong')
  expect([read(' ', 'line', {}, false), read('', 'text', {}, true), read('', 'value', {}, true)]).toEqual([{ value: null }, { value: '' }, { value: null }])
  expect(empty({ required: ['case', 'when'] })).toEqual({ case: 'new_case', when: '' })
})
