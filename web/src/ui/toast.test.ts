import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { hearToasts, lasting, takeBack, toast } from './toast'

beforeEach(() => { vi.useFakeTimers() })
afterEach(() => { vi.useRealTimers() })

const heard = () => {
  const texts: string[] = []
  const stop = hearToasts((s) => texts.push(s.text))
  return { texts, stop }
}

test('takeBack undoes the last that can be, once each, and says so', async () => {
  const { texts, stop } = heard()
  const done: string[] = []
  toast('one', { undo: () => done.push('one') })
  toast('two', { undo: () => done.push('two') })
  toast('three')
  expect([takeBack(), takeBack(), takeBack()]).toEqual([true, true, false])
  await vi.runAllTimersAsync()
  expect(done).toEqual(['two', 'one'])
  expect(texts).toEqual(['one', 'two', 'three', 'Taken back: two', 'Taken back: one'])
  stop()
})

test('takeBack leaves alone what was said more than a minute ago', () => {
  toast('old', { undo: () => undefined })
  vi.advanceTimersByTime(lasting + 1)
  expect(takeBack()).toBe(false)
})

test('takeBack says why something could not be taken back', async () => {
  const { texts, stop } = heard()
  toast('moved', { undo: () => Promise.reject(new Error('It was changed since.')) })
  takeBack()
  await vi.runAllTimersAsync()
  expect(texts.at(-1)).toBe('It could not be taken back. It was changed since.')
  stop()
})

test('hearToasts tells what was said before anybody heard', () => {
  toast('early')
  const { texts, stop } = heard()
  expect(texts).toContain('early')
  stop()
})
