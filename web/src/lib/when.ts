import { useSyncExternalStore } from 'react'

/** forms are the ways to write a date, with an example of each. */
export const forms = { words: '6 Mar 2026, 15:05', us: 'Mar 6, 2026, 3:05 PM', iso: '2026-03-06 15:05' } as const
export type Form = keyof typeof forms

const key = 'chela-dates'
const hearing = new Set<() => void>()

/** form is the way that the person chose in this browser, else the way of its language. */
export function form(): Form {
  const kept = localStorage.getItem(key)
  return kept !== null && kept in forms ? (kept as Form) : navigator.language === 'en-US' ? 'us' : 'words'
}

/** setForm has all dates written in a way. */
export function setForm(to: Form) {
  localStorage.setItem(key, to)
  for (const h of hearing) h()
}

const hear = (h: () => void) => {
  hearing.add(h)
  return () => void hearing.delete(h)
}

/** useForm is the way in which dates are written, for what is drawn anew when it changes. */
export const useForm = () => useSyncExternalStore(hear, form)

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const two = (n: number) => String(n).padStart(2, '0')

/** dateIn reads a day such as 2026-03-06 as that day, whatever the zone, and an instant as its time here. */
function dateIn(text: string | undefined): Date | undefined {
  const day = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text ?? '')
  const at = day ? new Date(Number(day[1]), Number(day[2]) - 1, Number(day[3])) : /^\d{4}-\d\d-\d\dT/.test(text ?? '') ? new Date(text ?? '') : new Date(Number.NaN)
  return Number.isNaN(at.getTime()) ? undefined : at
}

function dayAs(at: Date, as: Form, year: boolean): string {
  const month = months[at.getMonth()] ?? ''
  if (as === 'iso') return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  if (as === 'us') return `${month} ${at.getDate()}${year ? `, ${at.getFullYear()}` : ''}`
  return `${at.getDate()} ${month}${year ? ` ${at.getFullYear()}` : ''}`
}

/** timeOfDay is a time of day by its hour and minute. */
export function timeOfDay(hour: number, minute: number, as = form()): string {
  return as === 'us' ? `${hour % 12 || 12}:${two(minute)} ${hour < 12 ? 'AM' : 'PM'}` : `${two(hour)}:${two(minute)}`
}

const clockAs = (at: Date, as: Form) => timeOfDay(at.getHours(), at.getMinutes(), as)

/** day is a day, or the day of an instant; its year is left out when it is this one. What is no date stays as it is. */
export function day(text: string | undefined, now = new Date(), as = form()): string {
  const at = dateIn(text)
  return at ? dayAs(at, as, at.getFullYear() !== now.getFullYear()) : (text ?? '')
}

/** clock is the time of day of an instant. */
export function clock(text: string | undefined, as = form()): string {
  const at = dateIn(text)
  return at ? clockAs(at, as) : (text ?? '')
}

/** moment is the day and time of an instant; a day has no time. */
export function moment(text: string | undefined, now = new Date(), as = form()): string {
  if (!dateIn(text) || text?.length === 10) return day(text, now, as)
  return `${day(text, now, as)}${as === 'iso' ? '' : ','} ${clock(text, as)}`
}

/** monthOf is the month of a day. */
export function monthOf(text: string, as = form()): string {
  const at = dateIn(text)
  if (!at) return text
  return as === 'iso' ? text.slice(0, 7) : `${months[at.getMonth()] ?? ''} ${at.getFullYear()}`
}

/** dated is a text that was computed, with its days and moments written in the person's form. */
export const dated = (text: string, now = new Date(), as = form()) =>
  text.replace(/\b(\d{4}-\d\d-\d\d) at (\d\d:\d\d:\d\d) UTC\b/g, (_, d, t) => moment(`${d}T${t}Z`, now, as)).replace(/(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])/g, (d) => day(d, now, as))

/** recent is a time of day today, and a moment else. */
export const recent = (text: string, now = new Date(), as = form()) => (dayOf(text) === now.toDateString() ? clock(text, as) : moment(text, now, as))

/** shortly is a time of day today, and a day else. */
export const shortly = (text: string, now = new Date(), as = form()) => (dayOf(text) === now.toDateString() ? clock(text, as) : day(text, now, as))

/** dayOf is the day of an instant, here, by which messages are parted. */
export const dayOf = (at: string) => new Date(at).toDateString()

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** dayName is how people call a day. */
export function dayName(text: string, now = new Date(), as = form()): string {
  const at = new Date(text)
  const before = new Date(now)
  before.setDate(before.getDate() - 1)
  if (at.toDateString() === now.toDateString()) return 'Today'
  if (at.toDateString() === before.toDateString()) return 'Yesterday'
  return `${weekdays[at.getDay()]}, ${day(text, now, as)}`
}
