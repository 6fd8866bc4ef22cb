import { expect, test } from 'vitest'
import { layLabels } from './labels'

test('labels stand over their lines, and none covers another', () => {
  const labels = [{ x: 50, width: 20 }, { x: 58, width: 20 }, { x: 100, width: 20 }, { x: 62, width: 20 }]
  expect(layLabels(labels, 0, 110)).toEqual([{ left: 40, row: 0 }, { left: 48, row: 1 }, { left: 90, row: 0 }, { left: 52, row: 2 }])
})

test('labels stay within the plot', () => {
  expect(layLabels([{ x: 2, width: 30 }, { x: 199, width: 30 }], 0, 200)).toEqual([{ left: 0, row: 0 }, { left: 170, row: 0 }])
})
