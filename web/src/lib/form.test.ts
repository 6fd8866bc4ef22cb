import { expect, test } from 'vitest'
import { patchOf, valuesOf } from './form'
import { kinds } from './kinds.gen'

const fields = kinds.ticket?.fields ?? []
const record = { owner: 'Joe', body: { title: 'T', status: 'TODO', storyPoints: 3, labels: ['a', 'b'], dueDate: '2026-03-01' } }

test('a form that is not touched changes nothing', () => {
  for (const { fields: of } of Object.values(kinds)) {
    const before = valuesOf(of, { body: {} })
    expect(patchOf(of, before, before)).toEqual({})
  }
  expect(patchOf(fields, valuesOf(fields, record), valuesOf(fields, record))).toEqual({})
})

test('a patch says what is different, each as the API takes it', () => {
  const before = valuesOf(fields, record)
  expect(before).toMatchObject({ owner: 'Joe', storyPoints: '3', labels: 'a\nb', sprint: '' })
  expect(patchOf(fields, { ...before, storyPoints: '5', labels: 'a\n\n c ', dueDate: '', owner: '' }, before)).toEqual({ storyPoints: 5, labels: ['a', 'c'], dueDate: null, owner: null })
  const link = kinds.link?.fields ?? []
  expect(patchOf(link, { ...valuesOf(link, { body: {} }), pinned: 'true' }, valuesOf(link, { body: {} }))).toEqual({ pinned: true })
})
