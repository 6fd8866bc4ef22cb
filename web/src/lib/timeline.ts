import { day as dayShown, monthOf } from './when'

const day = 86_400_000

/** at is the number of a day, counted from 1970; NaN when a text says none. */
export const at = (text: string | undefined) => Math.floor(Date.parse(text ?? '') / day)

/** nameOf is the day of a number, as 2026-03-01. */
export const nameOf = (n: number) => new Date(n * day).toISOString().slice(0, 10)

/** Span is a stretch of days, both ends belong to it. */
export type Span = { from: number; to: number }

/** spanOf is the stretch that holds all of the days and today, with some room; texts that say no day do not count. */
export function spanOf(days: (string | undefined)[], today: string): Span {
  const all = [...days, today].map(at).filter((n) => !Number.isNaN(n))
  const from = Math.min(...all)
  const to = Math.max(...all)
  const room = Math.max(2, Math.round((to - from) * 0.03))
  return { from: from - room, to: to + room }
}

/** ticks are the days that a scale names: Mondays, the first of months, or of years, so that there are not too many. */
export function ticks(s: Span, most: number): { at: number; name: string }[] {
  const days = Array.from({ length: Math.min(s.to - s.from + 1, 40_000) }, (_, i) => s.from + i)
  const mondays = days.filter((n) => (n + 4) % 7 === 1) // 1970-01-01 was a Thursday
  const months = days.filter((n) => nameOf(n).endsWith('-01'))
  const years = months.filter((n) => nameOf(n).endsWith('-01-01'))
  const quarters = months.filter((n) => ['01', '04', '07', '10'].includes(nameOf(n).slice(5, 7)))
  if (mondays.length <= most) return mondays.map((n) => ({ at: n, name: dayShown(nameOf(n), new Date((n + 0.5) * day)) }))
  if (months.length <= most) return months.map((n) => ({ at: n, name: monthOf(nameOf(n)) }))
  if (quarters.length <= most) return quarters.map((n) => ({ at: n, name: monthOf(nameOf(n)) }))
  const every = Math.ceil(years.length / Math.max(1, most))
  return years.filter((_, i) => i % every === 0).map((n) => ({ at: n, name: nameOf(n).slice(0, 4) }))
}

/** Entry is a phase or a milestone on the timeline. */
export type Entry = { id: string; kind: 'phase' | 'milestone'; name: string; status: string; from?: string; to?: string; reached?: string }

const days = (n: number) => `${n} ${n === 1 ? 'day' : 'days'}`

/** lateness says what is late of an entry; empty when nothing is. */
export function lateness(e: Entry, today: string): string {
  const now = at(today)
  const done = e.status === 'COMPLETED'
  if (e.kind === 'milestone') {
    const over = (done ? at(e.reached) : now) - at(e.to)
    if (!(over > 0)) return e.status === 'MISSED' ? 'missed' : ''
    return done ? `reached ${days(over)} late` : `${days(over)} late`
  }
  if (done) return ''
  if (now > at(e.to)) return `${days(now - at(e.to))} over its end`
  if (now > at(e.from) && (e.status === 'NOT_STARTED' || e.status === 'PENDING')) return `was to begin ${days(now - at(e.from))} ago`
  return ''
}
