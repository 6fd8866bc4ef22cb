import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Agent, agentName, atWork, useAgents } from '../lib/agents'
import { type Conversation, directLine, untitled, useConversations, useMyName } from '../lib/conversations'
import { usePlace, useProject } from '../lib/project'
import { Presence } from '../ui/Presence'
import { useNarrow } from './Panes'
import { Projects } from './Projects'

/** few is how many conversations, and how many agents that are at rest, the rail shows. */
const few = 5

/** Rail shows the projects, the conversations of the one that is shown with what is new in them, and a direct line to each agent. */
export function Rail({ onGone }: { onGone: () => void }) {
  const project = useProject()
  const [{ thread = '', agent = '' }] = usePlace()
  const narrow = useNarrow() // as on a phone, where the picker above is enough
  const [every, setEvery] = useState(false)
  const me = useMyName()
  const all = useConversations(project).data ?? []
  const agents = atWork((useAgents().data ?? []).filter((a) => a.enabled))
  const newest = [...all.filter((c) => c.unread > 0), ...all.filter((c) => c.unread === 0)].slice(0, few).sort((a, b) => all.indexOf(a) - all.indexOf(b))
  const shown = every ? agents : agents.filter((a, i) => i < few || a.presence !== 'idle')
  return (
    <div className="mb-2 flex break-inside-avoid flex-col gap-3">
      {!narrow && <Projects />}
      <section aria-label="Conversations" className="flex flex-col gap-px">
        <h2 className="m-0! px-[.45rem] text-[.8rem]! font-normal text-muted">Conversations</h2>
        {newest.map((c) => <Line key={c.id} onGone={onGone} of={c} here={c.id === thread} project={project} />)}
        <Link to="/chat" search={{ project } as never} activeOptions={{ exact: true, includeSearch: true }} onClick={onGone} className="text-muted!">{all.length > few ? 'All conversations' : 'New conversation'}</Link>
      </section>
      <section aria-label="Direct lines" className="flex flex-col gap-px">
        <h2 className="m-0! px-[.45rem] text-[.8rem]! font-normal text-muted">Agents</h2>
        {shown.map((a) => <Direct key={agentName(a)} onGone={onGone} of={a} line={directLine(all, agentName(a), me)} here={agent === agentName(a)} thread={thread} project={project} />)}
        {(every || shown.length < agents.length) && (
          <button type="button" className="plain px-[.462rem]! text-left text-muted!" aria-expanded={every} onClick={() => setEvery(!every)}>{every ? 'Fewer' : `${agents.length - shown.length} more`}</button>
        )}
      </section>
    </div>
  )
}

function Line(p: { of: Conversation; here: boolean; project: string; onGone: () => void }) {
  const news = p.of.unread
  return (
    <Link to="/chat" search={{ project: p.project, thread: p.of.id } as never} aria-current={p.here ? 'page' : undefined} onClick={p.onGone} className={`gap-2 ${news > 0 ? 'font-bold' : ''}`}>
      <span className="min-w-0 truncate">{p.of.title || untitled}</span>
      {news > 0 && <span className="shrink-0 self-center bg-accent px-1 text-[.75rem] leading-[1.3] text-bg">{news}<span className="sr-only"> new</span></span>}
    </Link>
  )
}

function Direct(p: { of: Agent; line: Conversation | undefined; here: boolean; thread: string; project: string; onGone: () => void }) {
  const name = agentName(p.of)
  const search = { project: p.project, ...(p.line ? { thread: p.line.id } : { agent: name }) }
  const here = p.line ? p.line.id === p.thread : p.here
  return (
    <Link to="/chat" search={search as never} aria-current={here ? 'page' : undefined} onClick={p.onGone} title={p.of.doing?.[0]?.title ?? p.of.card.display.desc} className="justify-start! gap-2">
      <Presence of={p.of.presence} />
      <span className="truncate">{name}</span>
    </Link>
  )
}
