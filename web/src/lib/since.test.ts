import { beforeEach, expect, test } from 'vitest'
import { looked, sinceOf, startOf } from './since'

const minute = 60_000
const now = Date.parse('2026-03-10T12:34:56Z')

beforeEach(() => localStorage.clear())

test('looked keeps what was seen before until somebody looked elsewhere for a while', () => {
  const first = looked(undefined, now)
  expect(first).toEqual({ at: now })
  const again = looked(first, now + 20 * minute)
  expect(again).toEqual({ at: now + 20 * minute })
  const later = looked(again, now + 60 * minute)
  expect(later).toEqual({ at: now + 60 * minute, before: now + 20 * minute })
  expect(looked(later, now + 61 * minute).before).toBe(now + 20 * minute)
})

test('sinceOf is a moment to the minute, empty where the daemon knows it', () => {
  const look = { at: now, before: now - 90 * minute }
  expect(sinceOf('look', look, now)).toBe('2026-03-10T11:04:00Z')
  expect(sinceOf('look', { at: now }, now)).toBe('')
  expect(sinceOf('day', look, now)).toBe('2026-03-09T12:34:00Z')
  expect(sinceOf('week', look, now)).toBe('')
})

test('startOf takes what this browser keeps and survives what cannot be read', () => {
  expect(startOf('prj_1', now)).toEqual({ choice: 'look', look: { at: now } })
  localStorage.setItem('chela-since', 'week')
  expect(startOf('prj_1', now + 60 * minute)).toEqual({ choice: 'week', look: { at: now + 60 * minute, before: now } })
  localStorage.setItem('chela-since', 'never')
  localStorage.setItem('chela-look prj_1', '{')
  expect(startOf('prj_1', now)).toEqual({ choice: 'look', look: { at: now } })
})
