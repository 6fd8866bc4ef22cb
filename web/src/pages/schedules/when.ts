import type { Schemas } from '../../api/client'
import { useProjects } from '../../lib/project'

export type Schedule = Schemas['ScheduleOut']

/** when says in words when a schedule works. */
export function when(s: Schedule): string {
  switch (s.scheduleType) {
    case 'CRON':
      return `${s.cronExpr} ${s.timezone}`
    case 'FIXED_TIMES':
      return `${(s.timesOfDay ?? []).join(', ')} ${s.timezone}`
    case 'INTERVAL':
      return `every ${s.intervalMinutes} min from midnight ${s.timezone}`
    default:
      return 'once, at once'
  }
}

/** useNames returns the projects and how to name one. */
export function useNames() {
  const list = useProjects().data?.items ?? []
  return { list, nameOf: (id?: string) => list.find((p) => p.id === id)?.body.name ?? id ?? '' }
}
