import type { Schemas } from '../api/client'
import { worded } from './words'

type Reminder = Schemas['DeskReminderBody']

const units: [seconds: number, one: string][] = [[604_800, 'week'], [86_400, 'day'], [3_600, 'hour'], [60, 'minute'], [1, 'second']]

/** every says an interval as people do. */
export function every(seconds: number | undefined): string {
  if (!seconds) return ''
  const [size, one] = units.find(([s]) => seconds % s === 0) ?? [1, 'second']
  const n = seconds / size
  return n === 1 ? `every ${one}` : `every ${n} ${one}s`
}

/** often says how often a reminder comes, as people do. */
export function often(b: Reminder): string {
  if (b.weekdays) return 'every weekday'
  if (b.monthDay) return b.monthDay === 31 ? 'the last of each month' : `each month on day ${b.monthDay}`
  return every(b.intervalSeconds)
}

/** holds says a condition as people do: kind:ticket status:REVIEW is "a ticket has status Review". Undefined when it is more than fields with their values. */
export function holds(condition: string | undefined): string | undefined {
  const terms = [...(condition ?? '').matchAll(/([a-zA-Z]+):("[^"]*"|[^\s"():<>=~*]+)(\s+|$)/g)]
  const kind = terms[0]
  if (kind?.[1] !== 'kind' || terms.length < 2 || terms.map((t) => t[0]).join('') !== condition || terms.some((t) => t[2] === 'none' || t[1] === 'has')) return undefined
  const value = (text = '') => (text.startsWith('"') ? text.slice(1, -1) : text.split(',').map(worded).join(' or '))
  const of = worded(kind[2]).toLowerCase().replaceAll('-', ' ')
  return `${/^[aeiou]/.test(of) ? 'an' : 'a'} ${of} has ${terms.slice(1).map((t) => `${t[1]} ${value(t[2])}`).join(' and ')}`
}

/** instant is when a time that a reminder names comes, in milliseconds: a day alone is nine in the morning, where the person is. */
const instant = (at = ''): number => Date.parse(/^\d{4}-\d\d-\d\d$/.test(at) ? `${at}T09:00` : at)

/** standing is where a reminder stands: what rang comes first, then what comes next. */
export function standing(b: Reminder, now: Date): { rank: number; word: string; look: string } {
  if (b.lastTriggeredAt && Date.parse(b.acknowledgedAt ?? '') >= Date.parse(b.lastTriggeredAt) && (b.triggered || b.type === 'CONDITION_BASED')) return { rank: 3, word: 'acknowledged', look: 'text-muted' }
  if (b.triggered) return { rank: 0, word: 'rang', look: 'text-warn' }
  if (b.type === 'CONDITION_BASED') return { rank: 2, word: 'when it holds', look: 'text-muted' }
  return instant(b.triggerAt) < now.getTime() ? { rank: 0, word: 'due', look: 'text-warn' } : { rank: 1, word: 'waits', look: '' }
}

/** timeOf is when a reminder comes, in milliseconds; one by condition comes last. */
export const timeOf = (b: Reminder): number => (b.type === 'CONDITION_BASED' || !b.triggerAt ? Number.MAX_SAFE_INTEGER : instant(b.triggerAt))

/** isOnce says whether a reminder can be put off to another time: of one that recurs, that would move all that come after. */
export const isOnce = (b: Reminder): boolean => b.type !== 'CONDITION_BASED' && !b.recurring

/** tomorrow is nine in the morning of the next day, where the person is. */
export function tomorrow(now: Date): string {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 9).toISOString()
}
