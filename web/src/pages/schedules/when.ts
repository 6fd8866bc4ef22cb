import type { Schemas } from '../../api/client'
import { spoken } from '../../lib/cron'
import { useProjects } from '../../lib/project'
import { timeOfDay } from '../../lib/when'

export type Schedule = Schemas['ScheduleOut']

/** time is a time of day such as 17:30. */
function time(text: string): string {
  const [hour, minute] = text.split(':').map(Number)
  return hour === undefined || minute === undefined || Number.isNaN(hour + minute) ? text : timeOfDay(hour, minute)
}

/** when says in words when a schedule works. */
export function when(s: Schedule): string {
  switch (s.scheduleType) {
    case 'CRON':
      return `${spoken(s.cronExpr ?? '')}, ${s.timezone}`
    case 'FIXED_TIMES':
      return `every day at ${(s.timesOfDay ?? []).map(time).join(', ')}, ${s.timezone}`
    case 'INTERVAL':
      return `every ${s.intervalMinutes} minutes from midnight, ${s.timezone}`
    case 'ONCE':
      return s.onceAt?.endsWith('Z') ? `once, ${s.onceAt.slice(0, 16).replace('T', ' ')}, UTC` : `once, ${s.onceAt}, ${s.timezone}`
    default:
      return 'once, at once'
  }
}

/** useNames returns the projects and how to name one. */
export function useNames() {
  const list = useProjects().data?.items ?? []
  return { list, nameOf: (id?: string) => list.find((p) => p.id === id)?.body.name ?? id ?? '' }
}
