import { expect, test } from 'vitest'
import { behind, type ChartData, daysOf, marked, numbered, overDays, scaled, within } from './series'

const chart = { name: 'throughput', title: 'Throughput', unit: 'tickets', says: '', from: '2026-03-01', to: '2026-03-03', series: [
  { name: 'Done', points: [{ at: '2026-03-03', value: 2 }, { at: '2026-03-01', value: 1 }] },
  { name: 'Created', points: [{ at: '2026-03-02', value: 5 }] },
] } as ChartData

test('series share the days that any of them has', () => {
  const { names, lines } = overDays(chart)
  expect(names).toEqual(['2026-03-01', '2026-03-02', '2026-03-03'])
  expect(lines.map((l) => l.values)).toEqual([[1, null, 2], [null, 5, null]])
  expect(lines[0]?.colour).toBe('up')
})

test('what is behind a point is a list, a record, its tickets, or runs, which no list names', () => {
  expect(behind({ at: '2026-03-01', value: 3, query: 'status:DONE', asOf: '2026-03-01' })).toEqual({ to: '/tickets', search: { filter: 'status:DONE', asOf: '2026-03-01' } })
  expect(behind({ at: '2026-03-01', value: 1, records: ['tkt_1'] })).toEqual({ to: '/records/tkt_1', search: {} })
  expect(behind({ at: '2026-03-01', value: 2, records: ['tkt_1', 'tkt_2'] })).toEqual({ to: '/tickets', search: { filter: 'id:tkt_1,tkt_2' } })
  expect(behind({ at: '2026-03-01', value: 1, records: ['run_1'] })).toEqual({ to: '/runs/run_1', search: {} })
  expect(behind({ at: '2026-03-01', value: 2, records: ['run_1', 'run_2'] })).toBeUndefined()
  expect(behind(undefined)).toBeUndefined()
  expect(overDays({ name: 'x', title: 'X', says: '', unit: '', by: 'day', from: '', to: '', series: [{ name: 'Done', points: [{ at: '2026-03-01', value: 1, records: ['tkt_1'] }] }] } as unknown as ChartData).lines[0]?.places).toEqual([{ to: '/records/tkt_1', search: {} }])
})

test('a scale of one value puts it in the middle', () => {
  expect(scaled(5, 5, 5, 100)).toBe(50)
  expect(scaled(5, 0, 10, 100)).toBe(50)
})

test('what happened stands at the last day that is not after it, by its number', () => {
  const all = numbered({ ...chart, annotations: [{ at: '2026-02-27', name: 'Beta due', of: 'mst_1' }, { at: '2026-03-02', name: 'Sprint 1 begins', of: 'spr_1' }, { at: '2026-03-02', name: 'Import', of: 'int_1' }] })
  expect(marked(['2026-03-01', '2026-03-02', '2026-03-03'], all)).toEqual([{ at: '2026-03-01', name: '1', quiet: true }, { at: '2026-03-02', name: '2 3', quiet: true }])
  expect(marked(['2026-03-01', '2026-03-08'], all).map((m) => m.name)).toEqual(['1 2 3'])
  expect(marked([], all)).toEqual([])
})

test('a part of a chart has the points of its days', () => {
  expect(daysOf(within(chart, '2026-03-02', '2026-03-03'))).toEqual(['2026-03-02', '2026-03-03'])
})

test('a line that has the colour of one before it is dashed', () => {
  const series = Array.from({ length: 10 }, (_, i) => ({ name: i === 9 ? 'Done' : `agent ${i}`, points: [{ at: '2026-03-01', value: i }] }))
  const { lines } = overDays({ name: 'cost', title: 'Cost', says: '', unit: 'USD', by: 'day', from: '', to: '', series } as unknown as ChartData)
  expect(lines.map((l) => l.dashed)).toEqual([false, false, false, false, false, false, false, false, true, false])
  expect(lines[8]?.colour).toBe(lines[0]?.colour)
})
