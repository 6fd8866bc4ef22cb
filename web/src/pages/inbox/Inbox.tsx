import { type QueryClient, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useNarrow } from '../../frame/narrow'
import { grouped, inboxQuery, type Note, placeOf, reasons, useInbox, useSettle } from '../../lib/inbox'
import { useKeys, usePane } from '../../lib/pane'
import { nameAmong, useProjects } from '../../lib/project'
import { useRows } from '../../lib/rows'
import { shortly } from '../../lib/when'
import { plain } from '../../lib/words'
import { personsQuery, useWho } from '../../lib/who'
import { Foot } from '../../ui/Foot'
import { Question } from '../../ui/Question'
import { State } from '../../ui/State'
import { toast } from '../../ui/toast'
import { ViewHead } from '../../ui/ViewHead'
import { type Approval, useAnswer } from '../approvals/answer'
import { pendingQuery } from '../today/data'
import { effectOf } from '../today/need'
import { Preview } from '../records/Preview'
import { Settings } from './Settings'

/** askFirst asks what the inbox shows. */
export const askFirst = (queries: QueryClient) => Promise.all([queries.prefetchQuery(inboxQuery), queries.prefetchQuery(pendingQuery), queries.prefetchQuery(personsQuery)])

/** Inbox is what concerns the person, by reason; one key opens, answers or finishes each. */
export function Inbox() {
  const navigate = useNavigate()
  const { beside } = usePane()
  const [settings, setSettings] = useState(false)
  const [whole, setWhole] = useState('')
  const q = useInbox()
  const asked = useQuery(pendingQuery)
  const pending = asked.data ?? []
  const settle = useSettle()
  const narrow = useNarrow()
  const answer = useAnswer({ onSuccess: (g) => toast(`${g.body.choice === 'deny' ? 'Denied' : 'Answered'}: ${effectOf(g.question) || g.question.question}`), onError: (e) => toast(e.message, { bad: true }) })
  const groups = grouped(q.data?.items ?? [])
  const notes = groups.flatMap((g) => g.notes)
  const noteOf = (id: string) => notes.find((n) => n.id === id)
  const questionOf = (n: Note | undefined) => (n?.approval ? pending.find((a) => a.id === n.approval) : undefined)
  const give = (question: Approval, choice: string) => answer.mutate({ question, body: { choice, ...(question.digest && { digest: question.digest }) } })
  const finish = (ids: string[], what: string) => {
    settle.mutate({ ids, state: 'done' })
    toast(`Done: ${what}`, { undo: () => settle.mutateAsync({ ids, state: 'new' }) })
  }
  const open = (id: string) => {
    const n = noteOf(id)
    if (!n) return
    if (!n.readAt) settle.mutate({ ids: [id], state: 'read' })
    void navigate(placeOf(n) as never)
  }
  const { at, row } = useRows(notes.map((n) => n.id), {
    Enter: { does: 'open what it is about', act: open },
    o: {
      does: 'show it beside', act: (id) => {
        const n = noteOf(id)
        if (n) beside(placeOf(n).to.replace('$id', placeOf(n).params?.id ?? ''))
      },
    },
    a: {
      does: 'approve what is asked', act: (id) => {
        const question = questionOf(noteOf(id))
        if (question && whole !== id) give(question, 'approve')
      },
    },
    d: {
      does: 'done; deny what is asked', act: (id) => {
        const n = noteOf(id)
        const question = questionOf(n)
        if (question && whole !== id) give(question, 'deny')
        else if (n && !question) finish([id], n.title)
      },
    },
    v: { does: 'show exactly what is asked, or hide it', act: (id) => setWhole(whole === id ? '' : id) },
    D: {
      does: 'done with all of this reason', act: (id) => {
        const group = groups.find((g) => g.notes.some((n) => n.id === id && !questionOf(n)))
        if (group) finish(group.notes.map((n) => n.id), `${group.notes.length} of ${reasons[group.reason]?.name ?? group.reason}`)
      },
    },
  })
  const asks = questionOf(noteOf(at))
  useKeys([{ key: 'p', does: 'of what you are told, where and when', act: () => setSettings(true) }])
  return (
    <section>
      <ViewHead title="Inbox" total={q.data && (q.data.unread > 0 ? `${q.data.open}, ${q.data.unread} unread` : q.data.open)}>
        <button type="button" className="px-2 py-0" onClick={() => setSettings(true)}>Notify me of <kbd>p</kbd></button>
        {notes.length > 0 && <span className="text-sm text-muted"><kbd>Enter</kbd> open <kbd>d</kbd> done <kbd>D</kbd> all of a reason <kbd>a</kbd> approve</span>}
      </ViewHead>
      {settings && <Settings onClose={() => setSettings(false)} />}
      <State pending={q.isPending || asked.isPending} error={q.error} empty={notes.length === 0} hint="Nothing waits for you. Approvals, mentions, tickets that become yours, runs that fail and days that come are told here.">
        {groups.map((g) => (
          <section key={g.reason} aria-label={reasons[g.reason]?.name ?? g.reason} className="mb-4">
            <h3 className="mb-1!"><span data-sign={reasons[g.reason]?.sign} className={reasons[g.reason]?.look}>{reasons[g.reason]?.name ?? g.reason}</span> <span className="font-normal text-muted">{g.notes.length}</span></h3>
            {g.notes.map((n) => <Line key={n.id} note={n} question={questionOf(n)} chosen={n.id === at} whole={n.id === whole} place={row(n.id)} onAnswer={(q, body) => answer.mutate({ question: q, body })} />)}
          </section>
        ))}
      </State>
      {asks && whole !== at && !narrow && (
        <Foot name="What is asked">
          <Question question={asks} busy={answer.isPending} chosen={false} onAnswer={(body) => answer.mutate({ question: asks, body })} />
        </Foot>
      )}
      {!asks && <Preview id={noteOf(at)?.record ?? ''} />}
    </section>
  )
}

function Line(p: { note: Note; question: Approval | undefined; chosen: boolean; whole: boolean; place: ReturnType<ReturnType<typeof useRows>['row']>; onAnswer: (q: Approval, body: { choice: string }) => void }) {
  const who = useWho()
  const project = nameAmong(useProjects().data?.items ?? [], p.note.project)
  const { note: n, question } = p
  const { className, ...place } = p.place
  const to = placeOf(n)
  return (
    <div {...place} className={`border-b border-line px-2 py-1 ${className}`}>
      <div className="flex items-baseline gap-x-3">
        <span className={`w-[2ch] shrink-0 ${n.readAt ? 'text-faint' : 'text-link'}`}>{n.readAt ? '○' : '●'}<span className="sr-only">{n.readAt ? 'read' : 'new'}</span></span>
        <Link to={to.to} {...(to.params && { params: to.params })} search={(to.search ?? {}) as never} className={`min-w-0 max-w-[60%] truncate ${n.readAt ? 'text-text!' : 'font-semibold text-strong!'}`}>{n.title}</Link>
        <span className="min-w-0 flex-1 truncate text-muted">{n.text && plain(n.text)}</span>
        {project && <span data-testid="project" title={project} className="max-w-[18ch] shrink-0 truncate text-muted">{project}</span>}
        {n.by && <span className="max-w-[18ch] shrink-0 truncate text-muted @max-3xl:hidden">{who(n.by)}</span>}
        <time dateTime={n.at} className="ml-auto w-[8ch] shrink-0 text-right text-sm whitespace-nowrap text-faint">{shortly(n.at)}</time>
      </div>
      {question && !p.whole && p.chosen && <div className="flex gap-x-4 pl-[calc(2ch+.75rem)]"><code className="min-w-0 flex-1 truncate">{n.text ? question.calls?.[0]?.why : effectOf(question)}</code><span className="text-sm text-muted"><kbd>a</kbd> approve <kbd>d</kbd> deny <kbd>v</kbd> exactly</span></div>}
      {question && p.whole && <Question question={question} busy={false} chosen={p.chosen} onAnswer={(body) => p.onAnswer(question, body)} />}
    </div>
  )
}
