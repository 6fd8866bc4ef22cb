import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must } from '../../api/client'
import { agentName, useAgents } from '../../lib/agents'
import { change } from '../../lib/change'
import { Agent } from '../../ui/Agent'
import { Chooser } from '../../ui/Chooser'
import { Failed } from '../../ui/State'
import type { Rec } from './quick'

/** Delegate hands a ticket to one of the agents that can be given work: a comment mentions it. */
export function Delegate({ of: r, title, onClose }: { of: Rec; title: string; onClose: () => void }) {
  const queries = useQueryClient()
  const agents = (useAgents().data ?? []).filter((a) => a.enabled && a.presence !== 'unreachable')
  const hand = useMutation({
    mutationFn: (agent: string) => change(`Handed ${title} to ${agent}`, api.POST('/api/projects/{project}/tickets/{id}/delegate', { params: { path: { project: r.projectId, id: r.id } }, body: { agent } })),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: ['comment'] }),
  })
  return (
    <Chooser
      title={`Hand ${title} to an agent`} hint="The name of an agent" onClose={onClose} onChoose={(agent) => !hand.isPending && hand.mutate(agent)}
      of={agents.map((a) => ({ value: agentName(a), title: agentName(a), hint: a.presence, words: a.card.display.desc ?? '' }))}
    >
      <Failed of={hand.error} before="It is not handed over. " />
    </Chooser>
  )
}

const stands: { [state: string]: string } = { queued: 'begins', running: 'is at work', waiting: 'waits', done: 'is done', failed: 'failed', cancelled: 'was stopped' }

/** Delegated says how the agents stand that were asked in comments on a ticket. */
export function Delegated({ of: r, asked }: { of: Rec; asked: boolean }) {
  const q = useQuery({
    queryKey: ['run', 'delegated', r.id], enabled: asked,
    queryFn: () => must(api.GET('/api/projects/{project}/tickets/{id}/delegate', { params: { path: { project: r.projectId, id: r.id } } })),
  })
  if (!q.data?.length) return <Failed of={q.error} />
  return (
    <ul aria-label="Agents that were asked" className="my-1 flex list-none flex-wrap gap-x-5 p-0 text-sm text-muted">
      {q.data.map((d) => (
        <li key={d.agent} className="flex items-baseline gap-1.5">
          <Agent name={d.agent} /> <Link to="/runs/$id" params={{ id: d.runId }} title={d.reason}>{d.approvalId ? 'waits for an answer' : stands[d.state]}</Link>
        </li>
      ))}
    </ul>
  )
}
