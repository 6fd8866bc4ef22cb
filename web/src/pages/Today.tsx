import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, must } from '../api/client'
import { untitled, useConversations } from '../lib/conversations'
import { failedQuery, lately } from '../lib/failed'
import { useMoment } from '../lib/moment'
import { clock, day } from '../lib/when'
import { Severity } from '../ui/Severity'
import { State } from '../ui/State'

/** shown is how many lines of a concern Today shows. */
const shown = 8

/** overdue are the open tickets whose day was over on a day. */
const overdue = (day: string) => `due:<${day} -status:DONE,CLOSED`

/** at is the moment that a question is about as the daemon wants it; now when it is empty. */
const at = (asOf: string) => ({ asOf: asOf || undefined })

const questionsQuery = queryOptions({
  queryKey: ['approval', false],
  queryFn: () => must(api.GET('/api/approvals', { params: { query: { status: 'pending', limit: 200 } } })),
})

const lateQuery = (project: string, asOf: string, filter: string) => queryOptions({
  queryKey: ['ticket', project, 'overdue', asOf],
  queryFn: () => must(api.GET('/api/projects/{project}/tickets', { params: { path: { project }, query: { ...at(asOf), filter, limit: shown } } })),
})

const overloadedQuery = (project: string, asOf: string) => queryOptions({
  queryKey: ['capacity', project, 'overloaded', asOf],
  queryFn: () => must(api.GET('/api/projects/{project}/capacity', { params: { path: { project }, query: { ...at(asOf), load: 'OVERLOADED' } } })),
})

const blindQuery = (project: string, asOf: string) => queryOptions({
  queryKey: ['blindspot', project, 'open', asOf],
  queryFn: () => must(api.GET('/api/projects/{project}/blindspots', { params: { path: { project }, query: { ...at(asOf), status: 'OPEN', newest: true, limit: shown } } })),
})

const driftQuery = (project: string, asOf: string) => queryOptions({
  queryKey: ['delta_pack', project, 'newest', asOf],
  queryFn: () => must(api.GET('/api/projects/{project}/delta-packs', { params: { path: { project }, query: { ...at(asOf), newest: true, limit: 1 } } })),
})

/** askFirst asks what Today shows now. */
export const askFirst = (queries: QueryClient, project: string) => Promise.all([
  queries.prefetchQuery(questionsQuery),
  queries.prefetchQuery(failedQuery),
  queries.prefetchQuery(lateQuery(project, '', overdue('today'))),
  queries.prefetchQuery(overloadedQuery(project, '')),
  queries.prefetchQuery(blindQuery(project, '')),
  queries.prefetchQuery(driftQuery(project, '')),
])

/** Today is what needs somebody now: questions, failures, drift, overload, what is late. */
export function Today({ project }: { project: string }) {
  const { past } = useMoment()
  return (
    <section>
      <h2>Today</h2>
      <div className="grid items-start gap-x-4 @3xl:grid-cols-2 @7xl:grid-cols-3">
        {!past && <Questions />}
        {!past && <Failed />}
        {!past && <Replies project={project} />}
        <Late project={project} />
        <Overloaded project={project} />
        <Blind project={project} />
        <Drift project={project} />
      </div>
    </section>
  )
}

/** Concern is one heading with what falls under it; calm is said when nothing does. */
function Concern(p: { name: string; to: string; search?: { filter?: string; status?: string }; count?: number; pending: boolean; error: Error | null; calm: string; children: ReactNode }) {
  return (
    <article className="card" aria-label={p.name}>
      <h3 className="mt-0!">
        <Link to={p.to} search={(p.search ?? {}) as never}>{p.name}</Link> {p.count ? <span className="text-warn">{p.count}</span> : null}
      </h3>
      <State pending={p.pending} error={p.error} empty={p.count === 0} hint={p.calm}>{p.children}</State>
    </article>
  )
}

function Questions() {
  const q = useQuery(questionsQuery)
  return (
    <Concern name="Approvals" to="/approvals" count={q.data?.length} pending={q.isPending} error={q.error} calm="No agent waits for you.">
      {(q.data ?? []).slice(0, shown).map((a) => (
        <p key={a.id}><Link to="/runs/$id" params={{ id: a.run }}>{a.question}</Link> {a.until && <span className="muted">until {clock(a.until)}</span>}</p>
      ))}
    </Concern>
  )
}

function Failed() {
  const q = useQuery(failedQuery)
  const runs = lately(q.data ?? [])
  return (
    <Concern name="Failed runs" to="/runs" count={q.data === undefined ? undefined : runs.length} pending={q.isPending} error={q.error} calm="No run failed in the last 24 hours.">
      {runs.slice(0, shown).map((r) => <p key={r.id}><Link to="/runs/$id" params={{ id: r.id }}>{r.title}</Link> <span className="muted">{r.reason}</span></p>)}
    </Concern>
  )
}

function Replies({ project }: { project: string }) {
  const q = useConversations(project)
  const unread = (q.data ?? []).filter((c) => c.unread > 0)
  return (
    <Concern name="Replies" to="/chat" count={q.data === undefined ? undefined : unread.length} pending={q.isPending} error={q.error} calm="You have read everything.">
      {unread.slice(0, shown).map((c) => (
        <p key={c.id}><Link to="/chat" search={{ project, thread: c.id } as never}>{c.title || untitled}</Link> <span className="muted">{c.unread} new</span></p>
      ))}
    </Concern>
  )
}

function Late({ project }: { project: string }) {
  const { asOf, past, day: today } = useMoment()
  const filter = overdue(past ? today : 'today')
  const q = useQuery(lateQuery(project, asOf, filter))
  return (
    <Concern name="Overdue" to="/tickets" search={{ filter }} count={q.data?.total} pending={q.isPending} error={q.error} calm="No open ticket is late.">
      {(q.data?.items ?? []).map((t) => (
        <p key={t.id}><span className="text-danger">{day(t.body.dueDate)}</span> <Link to="/records/$id" params={{ id: t.id }}>{t.body.title}</Link> <span className="muted">{t.owner || 'Unassigned'}</span></p>
      ))}
    </Concern>
  )
}

function Overloaded({ project }: { project: string }) {
  const { asOf } = useMoment()
  const q = useQuery(overloadedQuery(project, asOf))
  const people = q.data?.resources ?? []
  return (
    <Concern name="Overloaded" to="/people" count={q.data === undefined ? undefined : people.length} pending={q.isPending} error={q.error} calm="Nobody has more than their hours.">
      {people.slice(0, shown).map((r) => (
        <p key={r.resourceId}><Link to="/records/$id" params={{ id: r.resourceId }}>{r.name}</Link> <span className="text-danger">{r.estimate ? 'about ' : ''}{r.estimatedPercent ?? r.allocatedPercent}%</span> <span className="muted">{r.tickets} open tickets, {r.allocatedSP} points</span></p>
      ))}
    </Concern>
  )
}

function Blind({ project }: { project: string }) {
  const { asOf } = useMoment()
  const q = useQuery(blindQuery(project, asOf))
  return (
    <Concern name="Blindspots" to="/blindspots" search={{ status: 'OPEN' }} count={q.data?.total} pending={q.isPending} error={q.error} calm="No blindspot is open.">
      {(q.data?.items ?? []).map((b) => (
        <p key={b.id}><Severity of={b.body.severity} /> <Link to="/records/$id" params={{ id: b.id }}>{b.body.title}</Link></p>
      ))}
    </Concern>
  )
}

function Drift({ project }: { project: string }) {
  const { asOf } = useMoment()
  const q = useQuery(driftQuery(project, asOf))
  const pack = q.data?.items?.[0]
  const deltas = (pack?.body.deltas ?? []).filter((d) => !d.decision)
  return (
    <Concern name="Drift" to="/deltas" count={q.data === undefined ? undefined : deltas.length} pending={q.isPending} error={q.error} calm="The records agree with each other.">
      {deltas.slice(0, shown).map((d, i) => <p key={i}><Severity of={d.severity} /> {d.title}</p>)}
    </Concern>
  )
}
