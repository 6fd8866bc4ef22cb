import { queryOptions } from '@tanstack/react-query'
import { api, must } from '../api/client'

/** failedQuery asks for the runs that failed last. */
export const failedQuery = queryOptions({
  queryKey: ['run', 'failed'],
  queryFn: () => must(api.GET('/api/runs', { params: { query: { state: 'failed', limit: 50 } } })),
})

const dayLong = 24 * 3_600_000

/** lately are those of runs that ended within a day before now. */
export const lately = <R extends { ended_at?: string; created_at: string }>(runs: R[], now = Date.now()) => runs.filter((r) => Date.parse(r.ended_at ?? r.created_at) > now - dayLong)
