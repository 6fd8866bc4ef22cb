import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Note } from './inbox'
import { fresh, stateOf } from './told'

beforeEach(() => localStorage.clear())
afterEach(() => { vi.unstubAllGlobals() })

test('stateOf says on only when the browser may and the person wants', () => {
  vi.stubGlobal('Notification', undefined)
  expect(stateOf()).toBe('cannot')
  vi.stubGlobal('Notification', { permission: 'denied' })
  expect(stateOf()).toBe('forbidden')
  vi.stubGlobal('Notification', { permission: 'granted' })
  expect(stateOf()).toBe('off')
  localStorage.setItem('chela-notify', 'on')
  expect(stateOf()).toBe('on')
  vi.stubGlobal('Notification', { permission: 'default' })
  expect(stateOf()).toBe('off')
})

test('fresh leaves out what was there and what was read elsewhere', () => {
  const note = (id: string, readAt?: string) => ({ id, ...(readAt && { readAt }) }) as Note
  expect(fresh([note('1'), note('2'), note('3', '2026-03-10T12:00:00Z')], new Set(['1'])).map((n) => n.id)).toEqual(['2'])
})
