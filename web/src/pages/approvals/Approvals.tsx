import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, must } from '../../api/client'
import { useKeys } from '../../lib/pane'
import { useWord } from '../../lib/project'
import { useRows } from '../../lib/rows'
import { recent } from '../../lib/when'
import { useWho } from '../../lib/who'
import { Question } from '../../ui/Question'
import { State } from '../../ui/State'
import { type Approval, type Given, useAnswer } from './answer'

/** Notice tells what came of an answer; a refused one is bad. */
type Notice = { id: string; run: string; text: string; bad: boolean }

const mostNotices = 4

const done: { [choice: string]: string } = { approve: 'Approved', always: 'Approved for always', deny: 'Denied', happened: 'It happened', repeat: 'Done again', skip: 'Skipped', found: 'Answered', raise: 'Raised once', stop: 'Stopped' }

/** named says in few words what a question is about. */
const named = (a: Approval) => (a.calls ?? []).map((c) => `${c.agent.replace('agent:', '')} ${c.tool}`).join(', ') || a.question

/** mostNamed is how many runs are looked up for their titles. */
const mostNamed = 30

/** Asking leads to the run that asks, by what it is about when it is looked up. */
function Asking({ id, named }: { id: string; named: boolean }) {
  const run = useQuery({ queryKey: ['run', 'one', id], queryFn: () => must(api.GET('/api/runs/{id}', { params: { path: { id } } })), retry: false, enabled: named }).data
  return <Link to="/runs/$id" params={{ id }}>{run?.run.title || `the run ${id.slice(-8)}`}</Link>
}

/** Approvals lists what agents wait for, each decided with one key, and what was answered. */
export function Approvals() {
  const [every, setEvery] = useWord('status')
  const [notices, setNotices] = useState<Notice[]>([])
  const [refused, setRefused] = useState<{ [id: string]: string }>({})
  const q = useQuery({ queryKey: ['approval', 'pending'], queryFn: () => must(api.GET('/api/approvals', { params: { query: { status: 'pending', limit: 200 } } })) })
  const tell = (g: Given, text: string, bad: boolean) => setNotices((n) => [{ id: g.question.id, run: g.question.run, text, bad }, ...n.filter((x) => x.id !== g.question.id)].slice(0, mostNotices))
  const answer = useAnswer({
    onSuccess: (g) => tell(g, `${done[g.body.choice] ?? g.body.choice}: ${named(g.question)}`, false),
    onError: (e, g) => {
      tell(g, e.message, true)
      setRefused((r) => ({ ...r, [g.question.id]: e.message }))
    },
  })
  const list = [...(q.data ?? [])].reverse() // who has waited longest comes first
  const { at, row } = useRows(list.map((a) => a.id), {})
  useKeys([{ key: 'w', does: 'show answered ones, or hide them', act: () => setEvery(every === 'all' ? '' : 'all') }])
  return (
    <section>
      <h2>Approvals <span className="muted" data-testid="total">{q.data?.length}</span></h2>
      <div role="status" aria-live="polite">
        {notices.filter((n) => !n.bad).map((n) => <p key={n.id} className="m-0 text-up">✓ {n.text} <Link to="/runs/$id" params={{ id: n.run }}>The run</Link></p>)}
      </div>
      {notices.filter((n) => n.bad).map((n) => <p key={n.id} className="m-0 text-danger" role="alert">{n.text} <Link to="/runs/$id" params={{ id: n.run }}>The run</Link></p>)}
      <State pending={q.isPending} error={q.error} empty={list.length === 0} hint="Nothing waits for you. What agents ask before they act comes here by itself.">
        <p className="text-muted"><kbd>a</kbd> approve <kbd>d</kbd> deny <kbd>A</kbd> always <kbd>n</kbd> note <kbd>j k</kbd> move</p>
        {list.map((a, i) => {
          const { className, ...place } = row(a.id)
          return (
            <div key={a.id} {...place} className={`${className} my-2 scroll-my-10 pl-2`}>
              <Question question={a} busy={false} chosen={a.id === at} refused={refused[a.id]} onAnswer={(body) => answer.mutate({ question: a, body })} />
              <p className="mt-0! text-muted">asked {recent(a.created_at)} · <Asking id={a.run} named={i < mostNamed} /></p>
            </div>
          )
        })}
      </State>
      {!q.isPending && <label className="mt-4 block"><input type="checkbox" checked={every === 'all'} onChange={(e) => setEvery(e.target.checked ? 'all' : '')} /> Show answered <kbd>w</kbd></label>}
      {every === 'all' && <Decided />}
    </section>
  )
}

/** Decided lists the questions that were answered or need no answer any more, the newest first. */
function Decided() {
  const who = useWho()
  const q = useQuery({ queryKey: ['approval', 'all'], queryFn: () => must(api.GET('/api/approvals', { params: { query: { limit: 200 } } })) })
  const list = (q.data ?? []).filter((a) => a.status !== 'pending')
  return (
    <State pending={q.isPending} error={q.error} empty={list.length === 0} hint="Nothing was answered yet.">
      {list.map((a) => (
        <details key={a.id} className="border-b border-line py-1">
          <summary>
            <span className={a.answer?.choice === 'deny' || a.status === 'lapsed' ? 'text-danger' : 'text-up'}>{a.answer?.choice ?? a.status}</span> {named(a)}{' '}
            <span className="text-muted">{a.by ? `${who(a.by)}, ` : ''}{a.ended_at ? recent(a.ended_at) : ''} {a.answer?.note}</span>
          </summary>
          <Question question={a} busy={false} by={a.by ? who(a.by) : undefined} onAnswer={() => undefined} />
          <p><Link to="/runs/$id" params={{ id: a.run }}>The run</Link></p>
        </details>
      ))}
    </State>
  )
}
