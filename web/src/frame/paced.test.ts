import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { paced } from './paced'

beforeEach(() => { vi.useFakeTimers() })
afterEach(() => { vi.useRealTimers() })

test('a border that is dragged for long is written fewer than 200 times in any 30 s, and where it ends', () => {
  const wrote: { said: number; at: number }[] = []
  const bar = paced((a) => wrote.push({ said: Number(a), at: Date.now() }))
  let said = 0
  for (let i = 0; i < 90_000; i += 8) {
    bar.say(String(++said))
    vi.advanceTimersByTime(8)
  }
  for (const from of wrote) expect(wrote.filter((w) => w.at >= from.at && w.at < from.at + 30_000).length).toBeLessThanOrEqual(171)
  expect(wrote.length).toBeGreaterThan(400)
  vi.advanceTimersByTime(200)
  expect(wrote.at(-1)?.said).toBe(said)
})

test('a few are written at once, the rest together, and after a rest again a few', () => {
  const wrote: string[] = []
  const bar = paced((a) => wrote.push(a), 2)
  for (const a of ['a', 'b', 'c', 'd']) bar.say(a)
  expect(wrote).toEqual(['a', 'b'])
  vi.advanceTimersByTime(199)
  expect(wrote).toEqual(['a', 'b'])
  vi.advanceTimersByTime(1)
  expect(wrote).toEqual(['a', 'b', 'd'])
  vi.advanceTimersByTime(10_000)
  expect(vi.getTimerCount()).toBe(0)
  for (const a of ['e', 'f', 'g']) bar.say(a)
  expect(wrote).toEqual(['a', 'b', 'd', 'e', 'f'])
})

test('what waits is written before a step of the history, or forgotten when it is of another', () => {
  const wrote: string[] = []
  const bar = paced((a) => wrote.push(a), 1)
  bar.say('a')
  bar.say('b')
  bar.flush()
  expect(wrote).toEqual(['a', 'b'])
  bar.say('c')
  bar.drop()
  vi.advanceTimersByTime(1_000)
  bar.flush()
  expect(wrote).toEqual(['a', 'b'])
})
