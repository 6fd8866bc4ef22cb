import { queryOptions } from '@tanstack/react-query'
import { api, must, type Schemas } from '../../api/client'

export type Day = Schemas['TodayOut']

/** todayQuery asks how a project stands as of a moment, and what changed since another; empty means now, and a week before. */
export const todayQuery = (project: string, since: string, asOf: string) => queryOptions({
  queryKey: ['today', project, since, asOf],
  queryFn: () => must(api.GET('/api/projects/{project}/today', { params: { path: { project }, query: { since: since || undefined, asOf: asOf || undefined } } })),
})

/** pendingQuery asks for the questions that wait for an answer. */
export const pendingQuery = queryOptions({ queryKey: ['approval', 'pending'], queryFn: () => must(api.GET('/api/approvals', { params: { query: { status: 'pending', limit: 200 } } })) })
