import { expect, test } from 'vitest'
import { behind, written } from './behind'

test('a number leads to the list that its query finds, as of its day', () => {
  expect(behind({ name: 'Open', value: 3, query: '-status:DONE', asOf: '2026-03-01' })).toEqual({ to: '/tickets', search: { filter: '-status:DONE', asOf: '2026-03-01' } })
})

test('what no list shows leads nowhere; money leads to the runs', () => {
  expect(behind({ name: 'Finished', value: 200, records: Array.from({ length: 100 }, (_, i) => `t${i}`) })).toBeUndefined()
  expect(behind({ name: 'Spent', value: 1, unit: 'USD', records: ['run_1'] })).toEqual({ to: '/runs', search: {} })
  expect(behind({ name: 'Late', value: 0 })).toBeUndefined()
})

test('money has two places', () => {
  expect(written(1.5, 'USD')).toBe('1.50 USD')
  expect(written(4)).toBe('4')
})
