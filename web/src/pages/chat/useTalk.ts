import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, must } from '../../api/client'
import { callsOf } from '../../lib/talk'

const page = 60 // messages at a time, from the end

/** useTalk is everything about a conversation: who speaks, what was said, by what, what works on it and what it asks. One that begins later is not asked for before. */
export function useTalk(thread: string, later: boolean) {
  const pages = useInfiniteQuery({
    queryKey: ['message', thread],
    initialPageParam: 0,
    queryFn: ({ pageParam }) => must(api.GET('/api/conversations/{id}/messages', { params: { path: { id: thread }, query: { newest: true, limit: page, ...(pageParam ? { before: pageParam } : {}) } } })),
    getNextPageParam: (older) => (older?.length === page ? older[0]?.seq : undefined),
  })
  const begun = !later || (pages.data?.pages[0]?.length ?? 0) > 0
  const view = useQuery({ queryKey: ['conversation', 'one', thread], enabled: begun, queryFn: () => must(api.GET('/api/conversations/{id}', { params: { path: { id: thread } } })) })
  const runs = useQuery({ queryKey: ['run', 'thread', thread], queryFn: () => must(api.GET('/api/runs', { params: { query: { thread, limit: 50 } } })) })
  const log = useQuery({ queryKey: ['run', 'calls', thread], queryFn: () => must(api.GET('/api/log', { params: { query: { thread, type: 'tool.*', newest: true, limit: 500 } } })) })
  const asked = useQuery({ queryKey: ['approval', 'pending'], queryFn: () => must(api.GET('/api/approvals', { params: { query: { status: 'pending', limit: 200 } } })) })
  const messages = useMemo(() => [...(pages.data?.pages ?? [])].reverse().flatMap((older) => older ?? []), [pages.data])
  const calls = useMemo(() => callsOf(log.data?.events ?? []), [log.data])
  const ids = new Set((runs.data ?? []).map((r) => r.id))
  return {
    view, pages, messages, calls, runs: runs.data ?? [],
    questions: (asked.data ?? []).filter((a) => ids.has(a.run)),
    whole: pages.data !== undefined && !pages.hasNextPage,
  }
}
