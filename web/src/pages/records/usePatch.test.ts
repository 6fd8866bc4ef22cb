import { expect, test } from 'vitest'
import { untouched } from './usePatch'

test('untouched looks at the fields that are to be changed, and at no others', () => {
  const seen = { body: { status: 'TODO', description: 'a' }, owner: 'Dana' }
  expect(untouched(seen, { body: { status: 'DONE', description: 'a' }, owner: 'Dana' }, ['description', 'owner'])).toBe(true)
  expect(untouched(seen, { body: { status: 'DONE', description: 'a' }, owner: 'Dana' }, ['status'])).toBe(false)
  expect(untouched(seen, { body: seen.body, owner: 'Joe' }, ['owner'])).toBe(false)
  expect(untouched({ body: {} }, { body: { dueDate: null } }, ['dueDate'])).toBe(true)
})
