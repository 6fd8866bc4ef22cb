import { beforeEach, expect, test } from 'vitest'
import { tiles } from './Tiles'

beforeEach(() => localStorage.setItem('chela-dates', 'iso'))

test('a tile says what it counts, and of which time', () => {
  const standing = { open: 9, inProgress: 5, overdue: 0, blocked: 0, unassigned: 0 }
  // biome-ignore lint/suspicious/noThenProperty: the API calls it so
  const named = tiles({ since: '2026-03-02T12:00:00Z', now: standing, then: standing, days: [], done: 3, doneThen: 1, doneDays: [] } as never).map((t) => [t.name, t.now])
  expect(named.slice(0, 3)).toEqual([['Open', 9], ['In progress or review', 5], ['Done since 2026-03-02', 3]])
})
