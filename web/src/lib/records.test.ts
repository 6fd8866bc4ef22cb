import { expect, test } from 'vitest'
import { type Rec, withEdits } from './records'

type B = { n: number; word?: string }
const rec = (id: string, version: number, n: number) => ({ id, version, body: { n } }) as Rec<B>
const more = (b: B) => ({ n: b.n + 1 })

test('what is under way lies over the record that it is made of, one on the other', () => {
  const of = rec('a', 1, 0)
  expect(withEdits([of, rec('b', 1, 5)], [{ of, set: more, from: 1 }, { of, set: more, from: 2 }, { of, set: { word: 'x' }, from: 3 }]).map((r) => r.body)).toEqual([{ n: 2, word: 'x' }, { n: 5 }])
})

test('an edit that the record already has is not made twice', () => {
  const of = rec('a', 1, 0)
  expect(withEdits([rec('a', 2, 1)], [{ of, set: more, from: 1 }, { of, set: more, from: 2 }]).map((r) => r.body.n)).toEqual([2])
})

test('a record without edits stays the same one', () => {
  const of = rec('a', 1, 0)
  expect(withEdits([of], [])[0]).toBe(of)
})
