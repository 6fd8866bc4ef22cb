import { useQuery } from '@tanstack/react-query'
import { api, must } from '../api/client'

/** useSprints lists the sprints of a project as they were, the one that began last first. */
export function useSprints(project: string, asOf: string, enabled = true) {
  return useQuery({
    queryKey: ['counts', project, 'sprints', asOf],
    enabled,
    queryFn: () => must(api.GET('/api/projects/{project}/sprints', { params: { path: { project }, query: asOf === '' ? {} : { asOf } } })),
  })
}
