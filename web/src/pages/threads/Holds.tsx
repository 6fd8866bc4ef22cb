import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client'
import { useTitles } from '../../lib/titles'
import { day } from '../../lib/when'
import { Avatar } from '../../ui/Avatar'
import { Markdown } from '../../ui/Markdown'
import { Named } from '../../ui/Named'
import { Sources } from '../../ui/Sources'
import { Status } from '../../ui/Status'

type Body = Schemas['DeskThreadBody']

function Part(p: { name: string; count: number; children: ReactNode }) {
  if (p.count === 0) return null
  return <section aria-label={p.name} className="mb-4"><h4 className="mb-1 border-b border-line text-muted">{p.name} <span>{p.count}</span></h4>{p.children}</section>
}

/** Where shows the words that something comes from when one asks. */
function Where(p: { of: Schemas['DeskSource'][] | null | undefined }) {
  if (!(p.of ?? []).some((s) => s.quote)) return null
  return <details className="text-sm"><summary className="cursor-pointer text-muted">quote</summary><Sources of={p.of} /></details>
}

/** sorted puts what has a date in order; what has none stays at its end. */
const sorted = (e: Schemas['DeskEvidence']) => e.date || '9'

/** Holds is what a thread holds: what was decided, what is to be done, what is open, who said what. */
export function Holds({ project, of: b }: { project: string; of: Body }) {
  const actions = b.actions ?? []
  const titles = useTitles(project, actions.flatMap((a) => a.ticketId ?? []))
  const evidence = [...(b.evidence ?? [])].sort((x, y) => sorted(x).localeCompare(sorted(y)))
  const others = [...(b.mergedFromThreadIds ?? []), ...(b.objectiveIds ?? []), ...(b.phaseIds ?? []), ...(b.extractedIdeaIds ?? [])]
  const known = useTitles(project, others)
  return (
    <div className="max-w-[100ch]">
      {b.summary && <Markdown text={b.summary} />}
      <Part name="Decisions" count={b.decisions?.length ?? 0}>
        {(b.decisions ?? []).map((d, i) => (
          <div key={i} className="my-1 border-l-2 border-accent pl-3">
            <div className="wrap-anywhere">{d.text} <span className="text-muted">{[d.decidedBy, day(d.date)].filter(Boolean).join(' · ')}</span></div>
            {d.context && <div className="text-muted wrap-anywhere">{d.context}</div>}
            <Where of={d.sources} />
          </div>
        ))}
      </Part>
      <Part name="Actions" count={actions.length}>
        {actions.map((a, i) => {
          const ticket = a.ticketId ? titles.get(a.ticketId) : undefined
          return (
            <div key={i} className={`my-1 border-l-2 pl-3 ${a.status === 'DONE' ? 'border-up' : 'border-warn'}`}>
              <div className="wrap-anywhere"><span className={a.status === 'DONE' ? 'text-up' : 'text-warn'}>{a.status === 'DONE' ? 'done' : a.status === 'DROPPED' ? 'cancelled' : 'to do'}</span> {a.text} <span className="text-muted">{[a.assignee, day(a.dueDate)].filter(Boolean).join(' · ')}</span></div>
              {a.ticketId && <div className="truncate"><Link to="/records/$id" params={{ id: a.ticketId }} className="cite">{ticket?.title ?? 'ticket'}</Link>{ticket && <> <Status of={String(ticket.fields.status ?? '')} /></>}</div>}
              <Where of={a.sources} />
            </div>
          )
        })}
      </Part>
      <Part name="Open questions" count={b.openQuestions?.length ?? 0}>
        {(b.openQuestions ?? []).map((x) => <div key={x} className="my-1 border-l-2 border-line pl-3"><Markdown text={x} /></div>)}
      </Part>
      <Part name="Who said what" count={evidence.length}>
        {evidence.map((e, i) => (
          <div key={i} className="my-2 grid grid-cols-[1.6rem_minmax(0,1fr)] gap-2">
            <Avatar name={e.author || e.type || '?'} agent={false} small />
            <div className="min-w-0">
              <p className="m-0! text-sm"><b>{e.author || 'somebody'}</b> <span className="text-muted">{[day(e.date), e.type, e.reference].filter(Boolean).join(' · ')}</span></p>
              <div className="whitespace-pre-wrap wrap-anywhere">{e.snippet}</div>
            </div>
          </div>
        ))}
      </Part>
      <Part name="What was written" count={b.content ? 1 : 0}><Markdown text={b.content ?? ''} /></Part>
      <Part name="Belongs with" count={others.length}><Named ids={others} titles={known} /></Part>
      <Part name="Where it comes from" count={(b.sources ?? []).filter((s) => s.quote).length}><Sources of={b.sources} /></Part>
    </div>
  )
}
