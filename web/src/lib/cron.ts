import { timeOfDay } from './when'

/** Weekly is a time of some days of each week: days as a cron expression has them. */
export type Weekly = { days: string; hour: number; minute: number }

/** dayNames are the days of a week by their names in a cron expression, and by their numbers. */
const dayNames: [cron: string, number: string, name: string][] = [
  ['MON', '1', 'Monday'], ['TUE', '2', 'Tuesday'], ['WED', '3', 'Wednesday'], ['THU', '4', 'Thursday'], ['FRI', '5', 'Friday'], ['SAT', '6', 'Saturday'], ['SUN', '0', 'Sunday'],
]

/** groups are the sets of days that have a name. */
export const groups: { [days: string]: string } = { 'MON-FRI': 'weekdays', '*': 'every day', 'SAT,SUN': 'weekends' }

/** dayOf is a day in capitals, by its name or number; 7 is Sunday, too. */
const dayOf = (text: string) => dayNames.find(([cron, number]) => cron === text.toUpperCase() || number === (text === '7' ? '0' : text))

/** spokenDays says some days of a week; undefined when it cannot. */
export function spokenDays(days: string): string | undefined {
  const known = groups[days.toUpperCase()] ?? groups[{ '1-5': 'MON-FRI', '?': '*', '0,6': 'SAT,SUN', '6,0': 'SAT,SUN' }[days] ?? '']
  if (known) return known
  const names = days.split(',').map((d) => dayOf(d)?.[2])
  if (names.some((n) => n === undefined)) return undefined
  const all = names.map((n) => `${n}s`)
  return all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${all.at(-1)}` : all[0]
}

/** fields are the five of an expression, when it has five, or six that begin with no second but the first. */
function fields(expr: string): string[] | undefined {
  const all = expr.trim().split(/\s+/)
  if (all.length === 6 && all[0] === '0') return all.slice(1)
  return all.length === 5 ? all : undefined
}

const whole = (text: string | undefined, most: number) => (/^\d{1,2}$/.test(text ?? '') && Number(text) <= most ? Number(text) : undefined)

/** weekly reads an expression that is a time of some days of each week; undefined when it is another one. */
export function weekly(expr: string): Weekly | undefined {
  const [m, h, dom, month, days] = fields(expr) ?? []
  const [minute, hour] = [whole(m, 59), whole(h, 23)]
  if (minute === undefined || hour === undefined || !['*', '?'].includes(dom ?? '') || month !== '*' || days === undefined || spokenDays(days) === undefined) return undefined
  return { days, hour, minute }
}

/** expression is the cron expression of a time of some days. */
export const expression = (w: Weekly) => `${w.minute} ${w.hour} * * ${w.days}`

const nth = (n: number) => `${n}${n % 100 > 10 && n % 100 < 14 ? 'th' : ({ 1: 'st', 2: 'nd', 3: 'rd' }[n % 10] ?? 'th')}`

/** spoken says an expression as people do; one that has no short words stays as it is. */
export function spoken(expr: string): string {
  const w = weekly(expr)
  if (w) return `${spokenDays(w.days)} at ${timeOfDay(w.hour, w.minute)}`
  const [m = '', h, dom = '', month, days] = fields(expr) ?? []
  const minute = whole(m, 59)
  const every = /^\*\/(\d+)$/.exec(m)?.[1]
  const any = month === '*' && (days === '*' || days === '?')
  if (any && h === '*' && dom === '*') {
    if (every) return `every ${every} minutes`
    if (minute === 0) return 'every hour'
    if (minute !== undefined) return `every hour at ${String(minute).padStart(2, '0')} past`
  }
  const [hour, date] = [whole(h, 23), whole(dom, 31)]
  if (any && minute !== undefined && hour !== undefined && date) return `on the ${nth(date)} of each month at ${timeOfDay(hour, minute)}`
  return expr
}
