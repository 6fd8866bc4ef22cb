import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, must, type Schemas } from '../../api/client'
import { count } from '../../lib/count'
import { took } from '../../lib/took'
import { day } from '../../lib/when'
import { phaseNames } from '../../lib/words'
import { Sources } from '../../ui/Sources'
import { State } from '../../ui/State'
import { Status } from '../../ui/Status'

const most = 6 // records of a kind

/** takeFocus gives a link the focus when it appears. */
const takeFocus = (el: HTMLAnchorElement | null) => el?.focus()

/** WhatItDid shows what became of a paste as it becomes: the phases, the records with the exact words that they come from, and where to go next. Of a named intake it shows what came from that one alone. */
export function WhatItDid({ project, run, intake }: { project: string; run: string; intake?: string }) {
  const trace = useQuery({
    queryKey: ['run', 'trace', run],
    queryFn: () => must(api.GET('/api/runs/{id}/trace', { params: { path: { id: run } } })),
    refetchInterval: (q) => (q.state.data?.run.state === 'running' || q.state.data?.run.state === 'queued' ? 1_000 : false),
  })
  const list = { params: { path: { project }, query: { limit: 50, newest: true, ...(intake && { filter: `sources.intakeId:${intake}` }) } } }
  const tickets = useQuery({ queryKey: ['ticket', project, 'start', intake], queryFn: () => must(api.GET('/api/projects/{project}/tickets', list)) })
  const threads = useQuery({ queryKey: ['thread', project, 'start', intake], queryFn: () => must(api.GET('/api/projects/{project}/threads', list)) })
  const goals = useQuery({ queryKey: ['objective', project, 'start', intake], queryFn: () => must(api.GET('/api/projects/{project}/objectives', list)) })
  const t = trace.data
  const over = t?.run.state === 'done' || t?.run.state === 'failed'
  const decisions = (threads.data?.items ?? []).flatMap((r) => (r.body.decisions ?? []).map((d) => ({ id: r.id, text: d.text, sources: d.sources })))
  const found: [string, number, Found[]][] = [
    ['ticket', tickets.data?.total ?? 0, (tickets.data?.items ?? []).map((r) => ({ id: r.id, text: r.body.title, more: [r.owner, day(r.body.dueDate)].filter(Boolean).join(', due '), sources: r.body.sources }))],
    ['decision', decisions.length, decisions],
    ['objective', goals.data?.total ?? 0, (goals.data?.items ?? []).map((r) => ({ id: r.id, text: r.body.outcome, sources: r.body.sources }))],
  ]
  return (
    <State pending={[trace, tickets, threads, goals].some((q) => q.isPending)} error={null}>
      {trace.error && <p className="danger" role="alert">{trace.error.message}</p>}
      {t && (
        <p className="flex flex-wrap gap-x-4" role="status">
          <Status of={t.run.state} />
          {t.trace.spans.filter((s) => s.kind === 'phase').map((s) => <span key={s.id} title={s.text}><span className="text-muted">{phaseNames[s.name] ?? s.name}</span> <Status of={s.state} short /></span>)}
          {over && <span className="text-muted">in {took(t.trace.ms)}</span>}
        </p>
      )}
      {t?.run.state === 'failed' && <p className="danger">{t.why}</p>}
      {found.filter(([, n]) => n > 0).map(([kind, n, records]) => (
        <div key={kind}>
          <h4 className="mt-3 mb-1 text-accent">{count(n, kind)}</h4>
          {records.slice(0, most).map((r, i) => (
            <div key={`${r.id}${i}`} className="my-1">
              <Link to="/records/$id" params={{ id: r.id }}>{r.text}</Link> {r.more && <span className="text-muted">{r.more}</span>}
              <Sources of={r.sources} />
            </div>
          ))}
          {records.length > most && <p className="text-muted">and {records.length - most} more</p>}
        </div>
      ))}
      {over && !intake && (
        <>
          <p>
            Nothing is taken on trust: each of these names the words it comes from. <Link to="/runs/$id" params={{ id: run }}>The run</Link> shows every step,{' '}
            <Link to="/log" search={{ run } as never}>the log</Link> everything that was recorded.
          </p>
          <h4 className="mt-3 mb-1 text-accent">Where to go next</h4>
          <ul className="list-none! p-0!">
            <Next keys="g y" what="what needs you now"><Link ref={takeFocus} to="/today" search={{ project } as never}>Today</Link></Next>
            <Next keys="g k" what="all tickets, edited where they stand"><Link to="/tickets" search={{ project } as never}>Tickets</Link></Next>
            <Next keys="g a" what="“Which developer has the most capacity?”"><Link to="/ask" search={{ project, q: 'Which developer has the most capacity?' } as never}>Ask</Link></Next>
            <Next keys="g i" what="more minutes, and an export of your tracker"><Link to="/" search={{ project } as never}>Intake</Link></Next>
            <Next keys="?" what="the keys of the view that you are in"><span>Keys</span></Next>
          </ul>
        </>
      )}
    </State>
  )
}

type Found = { id: string; text: string; more?: string; sources: Schemas['DeskSource'][] | null | undefined }

function Next(p: { keys: string; what: string; children: ReactNode }) {
  return <li className="grid grid-cols-[5ch_9ch_auto] gap-x-2"><kbd>{p.keys}</kbd>{p.children}<span className="text-muted">{p.what}</span></li>
}
