import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api/client'
import { agentName, useAgents } from '../../lib/agents'
import { said, useDraft } from '../../lib/draft'
import type { Message } from '../../lib/talk'
import { Cure } from '../../ui/Cure'
import { Markdown } from '../../ui/Markdown'
import { Spoken } from './Said'

/** Working shows who works on an answer and what of it has come, and why one did not come. */
export function Working(p: { thread: string; messages: Message[]; runs: Schemas['RunRun'][] }) {
  const agents = useAgents().data ?? []
  const draft = useDraft(p.thread)
  const last = p.runs[0]
  const open = p.runs.find((r) => r.ended_at === undefined)
  const over = p.runs.some((r) => r.id === draft?.run && r.ended_at !== undefined)
  if (draft && !over && draft.text !== '' && !said(draft, p.messages)) {
    return (
      <Spoken name={draft.agent} agent testid="draft" note={<span className="text-xs text-muted" role="status">{draft.tool ? `calls ${draft.tool}…` : 'writing…'}</span>}>
        <div className="writing"><Markdown text={draft.text} /></div>
      </Spoken>
    )
  }
  const at = agents.filter((a) => (a.doing ?? []).some((d) => d.thread === p.thread)).map(agentName)
  if (open) {
    const names = at.join(', ') || 'the agents'
    const why = open.state === 'waiting' ? (open.waits_for?.startsWith('approval:') ? 'waits for an answer' : `waits. ${open.reason ?? ''}`) : open.state === 'queued' ? 'begins soon' : draft?.tool && draft.run === open.id ? `calls ${draft.tool}…` : 'works…'
    return <p className={`my-1! ml-14 ${open.state === 'waiting' ? 'text-warn' : 'text-muted'}`} role="status" data-testid="working"><span aria-hidden="true" className="mr-2 inline-block size-2 rounded-full bg-live motion-safe:animate-pulse" />{names} {why}</p>
  }
  const failed = last?.state === 'failed'
  const answered = p.messages.some((m) => m.run === last?.id && m.role !== 'person' && m.role !== 'command' && m.seq === p.messages.at(-1)?.seq)
  if (last && failed && answered) { // a message says why
    return <p className="my-1! ml-14 border-l-2 border-danger pl-3" data-testid="ended"><Cure of={last.reason} /> <Link to="/runs/$id" params={{ id: last.id }}>Look at the run</Link></p>
  }
  if (last && (failed || last.state === 'cancelled') && !answered) {
    return <p className="my-1! ml-14 border-l-2 border-danger pl-3" data-testid="ended"><span className="text-danger">The run {failed ? 'failed' : 'was cancelled'}.</span> {last.reason} <Cure of={last.reason} /> <Link to="/runs/$id" params={{ id: last.id }}>Look at the run</Link></p>
  }
  return null
}
