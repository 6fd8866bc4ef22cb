import { useQuery } from '@tanstack/react-query'
import { api, must, type Schemas } from '../api/client'

type Health = Schemas['FlowHealth']

const day = 86_400_000
const longest = 60 // days to come that a chart shows

/** daysOf are the days of a sprint's chart: those that are known, then those to come until its end. */
export function daysOf(h: Health): string[] {
  const known = (h.days ?? []).map((d) => d.day)
  const last = known.at(-1)
  if (!last || !h.endDate) return known
  const left = Math.min(longest, Math.round((Date.parse(h.endDate) - Date.parse(last)) / day))
  return [...known, ...Array.from({ length: Math.max(0, left) }, (_, i) => new Date(Date.parse(last) + (i + 1) * day).toISOString().slice(0, 10))]
}

type Unit = 'points' | 'tickets'

/** leftOf is what was left at the end of each day that a sprint knows. */
export function leftOf(h: Health, names: string[], unit: Unit): (number | null)[] {
  const known = new Map((h.days ?? []).map((d) => [d.day, d.scope[unit] - d.done[unit]]))
  return names.map((n) => known.get(n) ?? null)
}

/** neededOf is what was left until the last day that a sprint knows, and then how it has to go down so that nothing is left at the end. */
export function neededOf(h: Health, names: string[], unit: Unit): (number | null)[] {
  const left = leftOf(h, names, unit)
  const last = left.findLastIndex((v) => v !== null)
  const end = names.indexOf(h.endDate ?? '')
  const from = left[last] ?? 0
  return left.map((v, i) => (last < 0 || end <= last || i <= last || i > end ? v : Math.round((from * (end - i) * 10) / (end - last)) / 10))
}

/** amount says tickets with their points. */
export function amount(a: Schemas['FlowAmount']): string {
  return `${a.tickets} ${Math.abs(a.tickets) === 1 ? 'ticket' : 'tickets'}, ${a.points} pt`
}

/** how says how the scope changed. */
export function how(s: Schemas['FlowShift']): string {
  switch (s.kind) {
    case 'CREATED': return 'made in it'
    case 'MOVED_IN': return s.otherSprint ? `from ${s.otherSprint}` : 'from no sprint'
    case 'MOVED_OUT': return s.otherSprint ? `to ${s.otherSprint}` : 'to no sprint'
    case 'DELETED': return 'deleted'
    case 'MERGED': return 'merged into another'
    case 'ESTIMATED': return 'new estimate'
    default: return s.kind
  }
}

/** current is the sprint that people mean: one that runs and has dates, else one that runs and has tickets, else the newest. */
export function current<S extends Pick<Schemas['FlowSprint'], 'state' | 'dated' | 'scope'>>(all: S[]): S | undefined {
  const running = all.filter((s) => s.state === 'RUNNING')
  return running.find((s) => s.dated) ?? running.find((s) => s.scope.tickets > 0) ?? all[0]
}

/** useSprints lists the sprints of a project as they were, the one that began last first. */
export function useSprints(project: string, asOf: string, enabled = true) {
  return useQuery({
    queryKey: ['counts', project, 'sprints', asOf],
    enabled,
    queryFn: () => must(api.GET('/api/projects/{project}/sprints', { params: { path: { project }, query: asOf === '' ? {} : { asOf } } })),
  })
}
