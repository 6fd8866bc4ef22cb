import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api, must } from '../../api/client'
import type { Change } from '../../lib/standing'

/** useChanges is what became of an instance so far; what comes later is asked for alone. */
export function useChanges(id: string) {
  const queries = useQueryClient()
  const queryKey = ['instance', 'changes', id]
  return useQuery({
    queryKey,
    queryFn: async () => {
      let had = queries.getQueryData<{ items: Change[]; next: number }>(queryKey) ?? { items: [], next: 0 }
      for (;;) {
        const got = await must(api.GET('/api/instances/{id}/changes', { params: { path: { id }, query: { after: had.next } } }))
        if (got.items.length > 0 || got.next !== had.next) had = { items: [...had.items, ...got.items], next: got.next }
        if (!got.more) return had
      }
    },
    structuralSharing: false,
  })
}
