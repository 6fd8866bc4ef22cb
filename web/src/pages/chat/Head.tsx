import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, done, must, type Schemas } from '../../api/client'
import { agentName, useAgents } from '../../lib/agents'
import { type Conversation, untitled, useMyName } from '../../lib/conversations'
import { useMay } from '../../lib/me'
import { useWho } from '../../lib/who'
import { Presence } from '../../ui/Presence'
import { toast } from '../../ui/toast'

/** Head names a conversation, with whom it is, and what can be done with it. */
export function Head(p: { view: Conversation | undefined; runs: Schemas['RunRun'][]; onBack: () => void }) {
  const queries = useQueryClient()
  const who = useWho()
  const may = useMay('editor')
  const me = useMyName()
  const admin = useMay('admin')
  const agents = useAgents().data ?? []
  const v = p.view
  const run = p.runs.find((r) => r.ended_at === undefined)
  const direct = agents.find((a) => a.card.agent_id === v?.agent)
  const mine = may && (admin || v?.person === me)
  const params = { params: { path: { id: v?.id ?? '' } } }
  const move = useMutation({
    mutationFn: (): Promise<unknown> => (v?.closed ? must(api.POST('/api/sessions/{id}/reopen', params)) : must(api.POST('/api/sessions/{id}/close', params))),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['conversation'] }),
  })
  const stop = useMutation({ mutationFn: (id: string) => must(api.POST('/api/runs/{id}/cancel', { params: { path: { id } } })), onSettled: () => void queries.invalidateQueries({ queryKey: ['run'] }) })
  const hold = useMutation({
    mutationFn: (word: 'pause' | 'resume') => (word === 'pause' ? must(api.POST('/api/sessions/{id}/pause', params)) : must(api.POST('/api/sessions/{id}/resume', params))),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['run'] }),
  })
  const remove = useMutation({
    mutationFn: () => done(api.DELETE('/api/sessions/{id}', params)),
    onSuccess: () => {
      toast(`Removed the conversation ${v?.title || untitled}`, { undo: () => must(api.POST('/api/sessions/{id}/restore', params)).then(() => queries.invalidateQueries({ queryKey: ['conversation'] })) })
      p.onBack()
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ['conversation'] }),
  })
  const wrong = move.error ?? stop.error ?? hold.error ?? remove.error
  return (
    <div className="border-b border-line px-3 py-2">
      <div className="flex items-center gap-2">
        <button type="button" className="plain px-1! @3xl:hidden" onClick={p.onBack} aria-label="All conversations">‹</button>
        <h2 className="m-0! min-w-0 flex-1 truncate">{v?.title || untitled}</h2>
        {run && may && (run.state === 'waiting'
          ? run.waits_for === 'resume' && <button type="button" className="px-2 py-0" disabled={hold.isPending} onClick={() => hold.mutate('resume')}>Go on</button>
          : <button type="button" className="px-2 py-0" disabled={hold.isPending} onClick={() => hold.mutate('pause')}>Pause</button>)}
        {run && may && <button type="button" className="px-2 py-0 text-danger!" disabled={stop.isPending} onClick={() => stop.mutate(run.id)}>Stop</button>}
        {run && <Link to="/runs/$id" params={{ id: run.id }} className="text-sm">run</Link>}
        {v && may && <button type="button" className="px-2 py-0" disabled={move.isPending} onClick={() => move.mutate()}>{v.closed ? 'Reopen' : 'Close'}</button>}
        {v && mine && <button type="button" className="px-2 py-0" disabled={remove.isPending} onClick={() => remove.mutate()}>Remove</button>}
      </div>
      {v && (
        <p className="m-0! flex flex-wrap gap-x-3 text-xs text-muted">
          <span>{who(v.person)}{v.agent ? <> with <Link to="/agents" search={{ agent: v.agent.replace('agent:', '') } as never}>{direct ? agentName(direct) : who(v.agent)}</Link></> : ' and the agents'}</span>
          {direct && <Presence of={direct.presence} word />}
          {v.closed && <span className="text-warn">closed</span>}
          {v.channel !== 'page' && <span>began by {v.channel}</span>}
        </p>
      )}
      {wrong && <p className="m-0! danger" role="alert">{wrong.message}</p>}
    </div>
  )
}
