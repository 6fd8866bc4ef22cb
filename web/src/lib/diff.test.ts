import { expect, test } from 'vitest'
import { lines } from './diff'

test('a diff has its lines numbered before and after', () => {
  const got = lines('--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@\n same\n--- gone\n+new\n last\n')
  expect(got.map((l) => [l.kind, l.text, l.before, l.after])).toEqual([
    ['head', '--- a/x', undefined, undefined], ['head', '+++ b/x', undefined, undefined], ['head', '@@ -3,3 +3,3 @@', undefined, undefined],
    ['same', 'same', 3, 3], ['gone', '-- gone', 4, undefined], ['new', 'new', undefined, 4], ['same', 'last', 5, 5],
  ])
})

test('one without numbers is shown all the same', () => {
  expect(lines('+Hello\n-Bye').map((l) => [l.kind, l.text, l.after])).toEqual([['new', 'Hello', undefined], ['gone', 'Bye', undefined]])
})
