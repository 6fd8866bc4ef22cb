import { expect, test } from 'vitest'
import { addressOf, asFilter } from './filters'

test('asFilter reads a view that is narrowed, and no arrangement of panes', () => {
  expect(asFilter({ name: 'Mine', address: '/tickets?filter=owner%3AJoe&project=prj_1' })).toEqual({ name: 'Mine', to: '/tickets', search: { filter: 'owner:Joe' } })
  expect(asFilter({ name: 'Two', address: '/tickets?filter=owner%3AJoe&panes=r50(.,.)' })).toBeUndefined()
  expect(asFilter({ name: 'All', address: '/tickets?project=prj_1' })).toBeUndefined()
})

test('addressOf keeps what narrows and leaves the project out; asFilter reads it back', () => {
  const address = addressOf('/tickets', { project: 'prj_1', filter: 'owner:"Joe M"', status: '', q: undefined, sort: '-due' })
  expect(asFilter({ name: 'x', address })?.search).toEqual({ filter: 'owner:"Joe M"', sort: '-due' })
  expect(addressOf('/tickets', { project: 'prj_1' })).toBe('/tickets')
})
