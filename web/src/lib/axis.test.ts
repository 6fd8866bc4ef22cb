import { expect, test } from 'vitest'
import { axis } from './axis'

test('without folds a line is even', () => {
  const a = axis(1_000, [], false)
  expect([a.x(-5), a.x(0), a.x(250), a.x(1_000), a.x(9_999)]).toEqual([0, 0, 0.25, 1, 1])
  expect(a.ticks.map((t) => t.ms)).toEqual([0, 200, 400, 600, 800])
})

test('times in which nothing was worked are folded', () => {
  const a = axis(102_000, [{ start_ms: 0, ms: 1_000 }, { start_ms: 101_000, ms: 1_000 }], true)
  expect(a.gaps.map((g) => g.ms)).toEqual([100_000])
  expect(a.x(1_000)).toBeCloseTo(0.48)
  expect(a.x(51_000)).toBeCloseTo(0.5)
  expect(a.x(101_000)).toBeCloseTo(0.52)
  expect(a.x(102_000)).toBeCloseTo(1)
  expect(a.ticks.every((t) => t.ms <= 1_000 || t.ms >= 101_000)).toBe(true)
})

test('a line goes forward, whatever was worked', () => {
  const bars = [{ start_ms: 5, ms: 0 }, { start_ms: 40_000, ms: 10 }, { start_ms: 41_000, ms: 30_000 }, { start_ms: 50_000, ms: 5 }]
  for (const fold of [true, false]) {
    const a = axis(200_000, bars, fold)
    let before = 0
    for (let ms = 0; ms <= 200_000; ms += 500) {
      const now = a.x(ms)
      expect(now).toBeGreaterThanOrEqual(before)
      expect(now).toBeLessThanOrEqual(1.000001)
      before = now
    }
    expect(a.x(200_000)).toBeCloseTo(1)
    for (const [i, t] of a.ticks.entries()) if (i > 0) expect(t.at).toBeGreaterThan(a.ticks[i - 1]?.at ?? 0)
  }
})
