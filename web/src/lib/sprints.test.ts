import { expect, test } from 'vitest'
import { current } from './sprints'

const sprint = (name: string, state: 'PLANNED' | 'RUNNING' | 'OVER', dated: boolean, tickets: number) => ({ name, state, dated, scope: { tickets, points: 0 } })

test('the sprint that people mean runs and has dates, or tickets', () => {
  expect(current([sprint('8', 'RUNNING', false, 0), sprint('7', 'RUNNING', true, 0), sprint('6', 'RUNNING', false, 4)])?.name).toBe('7')
  expect(current([sprint('8', 'RUNNING', false, 0), sprint('6', 'RUNNING', false, 4)])?.name).toBe('6')
  expect(current([sprint('8', 'PLANNED', true, 3), sprint('6', 'OVER', true, 4)])?.name).toBe('8')
  expect(current([])).toBeUndefined()
})
