import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, done, must } from '../../api/client'
import { useWho } from '../../lib/who'
import { Icon } from '../../ui/Icon'
import { Failed } from '../../ui/State'

/** Held are the messages that wait until the agent has time for them. */
export function Held({ thread }: { thread: string }) {
  const queries = useQueryClient()
  const who = useWho()
  const q = useQuery({ queryKey: ['conversation', 'waiting', thread], queryFn: () => must(api.GET('/api/conversations/{id}/waiting', { params: { path: { id: thread } } })), retry: false })
  const drop = useMutation({
    mutationFn: (message: string) => done(api.DELETE('/api/conversations/{id}/waiting/{message}', { params: { path: { id: thread, message } } })),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['conversation', 'waiting', thread] }),
  })
  return (
    <>
      {(q.data ?? []).map((w) => (
        <div key={w.id} className="my-1 flex items-start gap-2 border-l-2 border-line px-3 py-1 text-muted" data-testid="held">
          <div className="min-w-0 flex-1 whitespace-pre-wrap wrap-anywhere">{w.message}<span className="block text-xs">{who(w.actor)}: queued</span></div>
          <button type="button" aria-label="Delete the queued message" title="Delete the queued message" className="plain" disabled={drop.isPending} onClick={() => drop.mutate(w.id)}><Icon of="close" /></button>
        </div>
      ))}
      <Failed of={drop.error} />
    </>
  )
}
