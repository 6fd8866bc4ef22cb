import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, must } from '../api/client'

/** Layout is an arrangement of panes under a name: the page's address. */
export type Layout = { name: string; address: string }

/** common are the layouts that everybody has, in the project that is chosen. */
export const common: Layout[] = [
  { name: 'Morning', address: '/today?panes=r50(.,c50(.,.))&p1=/runs&p2=/deltas&link=0.1.2' },
  { name: 'Sprint', address: '/tickets?form=board&panes=c60(.,r50(.,.))&p1=/sprint&p2=/people&link=0.1.2' },
  { name: 'Staffing', address: '/people?panes=r40(.,.)&p1=/tickets&link=0.1' },
  { name: 'Agents', address: '/chat?panes=r60(.,c50(.,.))&p1=/runs&p2=/log' },
]

/** ownKey is where a person's own layouts are held; the log's layout events make it stale. */
export const ownKey = ['layout']

/** layoutsQuery asks for a person's own layouts. */
export const layoutsQuery = queryOptions({ queryKey: ownKey, queryFn: () => must(api.GET('/api/me/layouts')) })

/** useLayouts are a person's own layouts. */
export function useLayouts() {
  return useQuery(layoutsQuery)
}

/** addressIn is a layout's address in a project; its panes are in the project of the first. */
export function addressIn(address: string, project: string): string {
  const url = new URL(address, 'http://desk')
  if (project !== '' && !url.searchParams.has('project')) url.searchParams.set('project', project)
  return url.pathname + url.search
}
