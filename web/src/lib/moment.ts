import { defaultParseSearch, useNavigate, useRouterState } from '@tanstack/react-router'
import { takesMoment } from '../views'
import { useMay, type Role } from './me'
import { type Place, usePlace } from './project'
import { moment as written, day as writtenDay } from './when'

/** At is a moment that a view shows: what its queries say, and how people call it. */
export type At = { asOf: string; since: string; query: { asOf?: string }; past: boolean; day: string }

/** dayIn is the day of a moment, when it says one. */
const dayIn = (moment: string) => /^\d{4}-\d\d-\d\d/.exec(moment)?.[0]

/** dayOf is the day of an instant as the daemon counts days, in UTC. */
export const dayOf = (at: Date) => at.toISOString().slice(0, 10)

/** instant is an instant to the second, as an address says it. */
const instant = (at: Date) => `${at.toISOString().slice(0, 19)}Z`

const hour = 3_600_000

/** ago are the moments that are offered, from now: a key, a name, and the moment. */
export function ago(now: Date): { key: string; name: string; moment: string }[] {
  const days = (n: number) => dayOf(new Date(now.getTime() - n * 24 * hour))
  return [
    { key: 'h', name: 'an hour ago', moment: instant(new Date(now.getTime() - hour)) },
    { key: 'y', name: 'the end of yesterday', moment: days(1) },
    { key: 'w', name: 'a week ago', moment: days(7) },
    { key: 'm', name: 'four weeks ago', moment: days(28) },
  ]
}

/** ranges are the ranges until now that are offered: a key, a name, and the moment that each begins after. */
export function ranges(now: Date, sprint?: { name: string; beginDate?: string }): { key: string; name: string; since: string }[] {
  const before = (at: number, n: number) => new Date(at - n * 24 * hour)
  const days = (n: number) => dayOf(before(now.getTime(), n))
  const begun = Date.parse(sprint?.beginDate ?? '')
  return [
    { key: '1', name: 'today', since: days(1) },
    { key: '2', name: '24 hours', since: instant(before(now.getTime(), 1)) },
    { key: '3', name: '7 days', since: days(7) },
    { key: '4', name: '14 days', since: days(14) },
    ...(sprint && !Number.isNaN(begun) ? [{ key: '5', name: sprint.name, since: dayOf(before(begun, 1)) }] : []),
  ]
}

/** spanning is how the range or the moment that is shown is called; empty when it is now. */
export function spanning(since: string, asOf: string): string {
  if (since === '') return asOf === '' ? '' : `as of ${saying(asOf)}`
  return `since ${saying(since)}${asOf === '' ? '' : `, until ${saying(asOf)}`}`
}

/** spanOf is what spanning says of an address, and whether it is of an earlier moment. A view that knows now alone says nothing. */
export function spanOf(href: string): { words: string; past: boolean } {
  const [path = '', search = ''] = href.split('?')
  if (!takesMoment(path)) return { words: '', past: false }
  const said = defaultParseSearch(search) as { since?: unknown; asOf?: unknown }
  const asOf = String(said.asOf ?? '')
  return { words: spanning(String(said.since ?? ''), asOf), past: asOf !== '' }
}

/** exact is the moment that a field for a local day and time says; empty when it says none. */
export function exact(local: string): string {
  const at = new Date(local)
  return Number.isNaN(at.getTime()) ? '' : instant(at)
}

/** saying is how a moment is called in a sentence. */
export function saying(moment: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(moment)) return `the end of ${writtenDay(moment)} (UTC)`
  const at = new Date(moment)
  if (/^\d{4}-/.test(moment) && !Number.isNaN(at.getTime())) return written(at.toISOString())
  return moment.startsWith('msg_') ? `event …${moment.slice(-5)}` : `event ${moment.replace('#', '')}`
}

/**
 * useMoment is the moment that the address says, and how to go to another: `go` keeps what it is not given. In a view
 * that knows now alone it is now; the address keeps the moment for the views that take it.
 */
export function useMoment(): At & { go: (to: { asOf?: string; since?: string }) => void } {
  const [place] = usePlace()
  const navigate = useNavigate()
  const takes = useRouterState({ select: (s) => takesMoment(s.matches.at(-1)?.pathname ?? s.location.pathname) })
  const asOf = takes ? (place.asOf ?? '') : ''
  const go = (to: { asOf?: string; since?: string }) =>
    void navigate({ to: '.', search: (now: Place) => ({ ...now, ...Object.fromEntries(Object.entries(to).map(([k, v]) => [k, v === '' ? undefined : v])) }) } as never)
  return { asOf, since: takes ? (place.since ?? '') : '', query: asOf === '' ? {} : { asOf }, past: asOf !== '', day: dayIn(asOf) ?? dayOf(new Date()), go }
}

/** useMayEdit says whether the person may edit what the view shows: nobody edits an earlier moment. */
export function useMayEdit(least: Role = 'editor'): boolean {
  const { past } = useMoment()
  return useMay(least) && !past
}
