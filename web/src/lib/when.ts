/** dayOf is the day of an instant, here, by which messages are parted. */
export const dayOf = (at: string) => new Date(at).toDateString()

/** dayName is how people call a day. */
export function dayName(at: string, now = new Date()): string {
  const day = new Date(at)
  const before = new Date(now)
  before.setDate(before.getDate() - 1)
  if (day.toDateString() === now.toDateString()) return 'Today'
  if (day.toDateString() === before.toDateString()) return 'Yesterday'
  return day.toLocaleDateString(undefined, { weekday: 'long', day: 'numeric', month: 'long', ...(day.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' }) })
}

/** clock is the time of day. */
export const clock = (at: string) => new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })

/** shortly is a time of day today, and a day else. */
export const shortly = (at: string) => (dayOf(at) === new Date().toDateString() ? clock(at) : new Date(at).toLocaleDateString(undefined, { day: 'numeric', month: 'short' }))
