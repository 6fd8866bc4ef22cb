import { expect, test } from 'vitest'
import { expired } from './expired'

test('a day expires as it begins in UTC, an instant when it comes', () => {
  const now = Date.parse('2026-11-01T00:00:00Z')
  expect(['2026-10-31', '2026-11-01', '2026-11-01T00:00:00Z', '2026-11-01T01:00:00+02:00'].map((at) => expired(at, now))).toEqual([true, true, true, true])
  expect(['2026-11-02', '2026-11-01T00:00:01Z', '', undefined].map((at) => expired(at, now))).toEqual([false, false, false, false])
})
