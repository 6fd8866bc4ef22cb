import { useQuery } from '@tanstack/react-query'
import { api, must, type Schemas } from '../api/client'

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
