import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, must, type Schemas } from '../api/client'

export type Note = Schemas['NotifyView']
type Inbox = Schemas['InboxOut']

/** inboxQuery asks what concerns the person and is not done. */
export const inboxQuery = queryOptions({ queryKey: ['notification', 'open'], queryFn: () => must(api.GET('/api/me/notifications')) })

/** useInbox is what concerns the person and is not done. */
export const useInbox = () => useQuery(inboxQuery)

/** reasons are why somebody is told, in the order of the inbox: how a group of them is called, and its sign and colour. */
export const reasons: { [reason: string]: { name: string; sign: string; look: string } } = {
  APPROVAL: { name: 'Approvals', sign: '‖', look: 'text-warn' },
  MENTION: { name: 'Mentions', sign: '@', look: 'text-link' },
  SCHEDULE: { name: 'Schedules', sign: '↻', look: 'text-link' },
  REMINDER: { name: 'Reminders', sign: '◔', look: 'text-warn' },
  FAILED: { name: 'Failed runs', sign: '✗', look: 'text-danger' },
  ASSIGNED: { name: 'Assigned to you', sign: '→', look: 'text-person' },
  DUE: { name: 'Due', sign: '◷', look: 'text-warn' },
  COMMENT: { name: 'Comments', sign: '“', look: 'text-text' },
  FINDING: { name: 'Findings', sign: '▲', look: 'text-warn' },
}

/** grouped are notifications by reason, each reason with its own. */
export function grouped(all: Note[]): { reason: string; notes: Note[] }[] {
  const known = Object.keys(reasons)
  const named = [...known, ...new Set(all.map((n) => n.reason).filter((r) => !known.includes(r)))]
  return named.map((reason) => ({ reason, notes: all.filter((n) => n.reason === reason) })).filter((g) => g.notes.length > 0)
}

/** settled is an inbox after notifications in it became read or done. */
export function settled(box: Inbox | undefined, ids: string[], state: 'read' | 'done'): Inbox | undefined {
  if (!box) return box
  const at = new Date().toISOString()
  const items = (box.items ?? []).flatMap((n) => (!ids.includes(n.id) ? n : state === 'done' ? [] : { ...n, readAt: n.readAt ?? at }))
  return { items, open: items.length, unread: items.filter((n) => !n.readAt).length }
}

/** placeOf is where what a notification tells of is: the record, the run, the conversation. */
export function placeOf(n: Note): { to: string; params?: { id: string }; search?: { project?: string; thread?: string } } {
  const search = n.project ? { search: { project: n.project } } : {}
  if (n.record) return { to: '/records/$id', params: { id: n.record }, ...search }
  if (n.approval) return { to: '/approvals' }
  if (n.run) return { to: '/runs/$id', params: { id: n.run }, ...search }
  if (n.thread) return { to: '/chat', search: { ...(n.project && { project: n.project }), thread: n.thread } }
  return { to: '/inbox', ...search }
}

/** useSettle makes notifications read, done or new again. It shows at once; when it is refused, what was before shows again. */
export function useSettle() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (to: { ids: string[]; state: 'read' | 'done' | 'new' }) => must(api.POST('/api/me/notifications', { body: to })),
    onMutate: async ({ ids, state }) => {
      await queries.cancelQueries({ queryKey: inboxQuery.queryKey })
      const before = queries.getQueryData(inboxQuery.queryKey)
      if (state !== 'new') queries.setQueryData(inboxQuery.queryKey, settled(before, ids, state))
      return before
    },
    onError: (_e, _to, before) => queries.setQueryData(inboxQuery.queryKey, before),
    onSettled: () => queries.invalidateQueries({ queryKey: ['notification'] }),
  })
}
