const dayLong = 86_400_000

/** iso is a local day as 2026-03-06. */
export const iso = (at: Date) => `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`

const ahead = (now: Date, days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days)

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const months = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december']

/** next is the next such weekday after a day, 0 being Sunday. */
const next = (now: Date, weekday: number) => ahead(now, (weekday - now.getDay() + 6) % 7 + 1)

/** named finds a word of a list by its first letters, at least three of them. */
const named = (list: string[], word: string) => (word.length < 3 ? -1 : list.findIndex((w) => w.startsWith(word)))

/** dayIn is a day of a month: this year's, or next year's when it is over. */
function dayIn(now: Date, month: number, day: number): string | undefined {
  const of = (year: number) => new Date(year, month, day)
  const at = of(now.getFullYear()) < ahead(now, 0) ? of(now.getFullYear() + 1) : of(now.getFullYear())
  return at.getMonth() === month ? iso(at) : undefined
}

/** readDay reads a day as people type it: 2026-03-06, today, tomorrow, fri, 3d, 2w, 6 mar, mar 6. */
export function readDay(text: string, now = new Date()): string | undefined {
  const t = text.trim().toLowerCase()
  const exact = /^(\d{4})-(\d\d)-(\d\d)$/.exec(t)
  if (exact) return Number.isNaN(Date.parse(t)) || iso(new Date(Number(exact[1]), Number(exact[2]) - 1, Number(exact[3]))) !== t ? undefined : t
  if (t === 'today') return iso(now)
  if (t !== '' && 'tomorrow'.startsWith(t) && t.length >= 3) return iso(ahead(now, 1))
  const span = /^\+?(\d{1,3})\s*(d|days?|w|weeks?)$/.exec(t)
  if (span) return iso(ahead(now, Number(span[1]) * (span[2]?.startsWith('w') ? 7 : 1)))
  const weekday = named(weekdays, t.replace(/^next\s+/, ''))
  if (weekday >= 0) return iso(next(now, weekday))
  const [, a = '', b = ''] = /^(\d{1,2}|[a-z]+)\.?\s+(\d{1,2}|[a-z]+)\.?$/.exec(t) ?? []
  const month = named(months, /^\d/.test(a) ? b : a)
  return month < 0 ? undefined : dayIn(now, month, Number(/^\d/.test(a) ? a : b))
}

/** offered are the days that are offered to choose from. */
export function offered(now = new Date()): { value: string; title: string }[] {
  const end = new Date(now.getFullYear(), now.getMonth() + 1, 0)
  return [
    { value: iso(now), title: 'today' }, { value: iso(ahead(now, 1)), title: 'tomorrow' }, { value: iso(next(now, 5)), title: 'next Friday' }, { value: iso(next(now, 1)), title: 'next Monday' },
    { value: iso(ahead(now, 7)), title: 'in a week' }, { value: iso(ahead(now, 14)), title: 'in two weeks' }, { value: iso(end), title: 'the end of the month' },
  ]
}

/** daysUntil is how many days a day is ahead of now. */
export const daysUntil = (day: string, now = new Date()) => Math.round((new Date(`${day}T00:00:00`).getTime() - ahead(now, 0).getTime()) / dayLong)
