import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { api, must, type Schemas } from '../api/client'
import { count } from '../lib/count'
import { useWord } from '../lib/project'
import { Differences } from '../ui/Differences'
import { Sources } from '../ui/Sources'
import { State } from '../ui/State'
import { Table } from '../ui/Table'

/** Threads lists threads with decisions, actions and evidence. */
export function Threads({ project }: { project: string }) {
  const q = useQuery({
    queryKey: ['thread', project],
    queryFn: () => must(api.GET('/api/projects/{project}/threads', { params: { path: { project }, query: { newest: true, limit: 200 } } })),
  })
  return (
    <section>
      <h2>Threads <span className="muted">{q.data?.total}</span></h2>
      <State pending={q.isPending} error={q.error} empty={q.data?.items?.length === 0} hint="No threads yet. They come from minutes: see Intake.">
        {(q.data?.items ?? []).map((r) => <ThreadCard key={r.id} record={r} />)}
      </State>
    </section>
  )
}

function ThreadCard(p: { record: Schemas['RecordOfThreadBody'] }) {
  const b = p.record.body
  return (
    <details className="card">
      <summary>
        <strong>{b.title}</strong> <span className="muted">{b.date} · {count(b.decisions?.length, 'decision')}, {count(b.actions?.length, 'action')}</span>
      </summary>
      {b.attendees && <p className="muted">With {b.attendees.join(', ')}</p>}
      {(b.decisions ?? []).map((d, i) => <div key={i}><p><b>Decided</b> {d.text}</p><Sources of={d.sources} /></div>)}
      {(b.actions ?? []).map((a, i) => (
        <div key={i}>
          <p>
            <b>{a.status === 'DONE' ? 'Done' : 'To do'}</b> {a.text} <span className="muted">{a.assignee} {a.dueDate}</span>{' '}
            {a.ticketId && <Link to="/records/$id" params={{ id: a.ticketId }} className="cite">ticket</Link>}
          </p>
          <Sources of={a.sources} />
        </div>
      ))}
      {(b.openQuestions ?? []).map((x) => <p key={x}><b>Open</b> {x}</p>)}
      {b.content && <pre className="content">{b.content.slice(0, 4000)}</pre>}
      <Sources of={b.sources} />
    </details>
  )
}

/** Tickets lists tickets, more as one asks, narrowed by status and words. */
export function Tickets({ project }: { project: string }) {
  const [text, setText] = useWord('q')
  const [status, setStatus] = useWord('status')
  const [filter, setFilter] = useWord('filter')
  const q = useInfiniteQuery({
    queryKey: ['ticket', project, text, status, filter],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      must(api.GET('/api/projects/{project}/tickets', { params: { path: { project }, query: { q: text || undefined, status: status || undefined, filter: filter || undefined, cursor: pageParam || undefined, newest: true, limit: 100 } } })),
    getNextPageParam: (last) => last.next || undefined,
    placeholderData: keepPreviousData,
  })
  const rows = q.data?.pages.flatMap((p) => p.items ?? []) ?? []
  return (
    <section>
      <h2>Tickets <span className="muted" data-testid="total">{q.data?.pages[0]?.total}</span></h2>
      <div className="row">
        <input placeholder="Words in the title" aria-label="Words in the title" value={text} onChange={(e) => setText(e.target.value)} />
        <select aria-label="Status" value={status} onChange={(e) => setStatus(e.target.value)}>
          <option value="">any status</option>
          {['TODO', 'IN_PROGRESS', 'REVIEW', 'DONE', 'BLOCKED'].map((s) => <option key={s}>{s}</option>)}
        </select>
        <form className="grow" onSubmit={(e) => { e.preventDefault(); setFilter(String(new FormData(e.currentTarget).get('filter') ?? '').trim()) }}>
          <input name="filter" key={filter} defaultValue={filter} aria-label="Filter" placeholder='Filter, then Enter: owner:"Joe" updated:>2w points:>=3 -label:ui' />
        </form>
      </div>
      <State pending={q.isPending} error={q.error} empty={rows.length === 0} hint="No tickets fit. They come from exports and minutes: see Intake.">
        <Table
          heads={['Key', 'Title', 'Status', 'Priority', 'Points', 'Owner', 'Due']}
          rows={rows.map((r) => ({
            key: r.id,
            cells: [
              r.body.externalRef, <Link key="title" to="/records/$id" params={{ id: r.id }}>{r.body.title}</Link>,
              r.body.status, r.body.priority, r.body.storyPoints, r.owner || 'UNASSIGNED', r.body.dueDate,
            ],
          }))}
        />
        {q.hasNextPage && <button type="button" onClick={() => void q.fetchNextPage()} disabled={q.isFetchingNextPage}>More</button>}
      </State>
    </section>
  )
}

/** Objectives lists objectives with their coverage. */
export function Objectives({ project }: { project: string }) {
  const q = useQuery({
    queryKey: ['objective', project],
    queryFn: () => must(api.GET('/api/projects/{project}/objectives', { params: { path: { project }, query: { limit: 200 } } })),
  })
  return (
    <section>
      <h2>Objectives</h2>
      <State pending={q.isPending} error={q.error} empty={q.data?.items?.length === 0} hint="No objectives yet. Lines such as “Sprint 7 goal: …” in minutes become objectives.">
        {(q.data?.items ?? []).map((r) => (
          <article key={r.id} className="card">
            <strong>{r.body.outcome}</strong> <span className="muted">{r.body.sprintName} · {r.body.status} · coverage {r.body.coveragePercent}% · {count(r.body.ticketIds?.length, 'ticket')}</span>
            <Sources of={r.body.sources} />
          </article>
        ))}
      </State>
    </section>
  )
}

/** Record shows any record by its id: what a citation opens. */
export function Record() {
  const { id } = useParams({ strict: false }) as { id: string }
  const q = useQuery({ queryKey: ['record', id], queryFn: () => must(api.GET('/api/records/{id}', { params: { path: { id } } })) })
  const body = (q.data?.body ?? {}) as { [field: string]: unknown; sources?: Schemas['DeskSource'][]; evidence?: Schemas['DeskEvidence'][]; conflicts?: Schemas['DeskDiscord'][] }
  const shownApart = ['sources', 'evidence', 'conflicts']
  return (
    <section>
      <h2>{q.data?.kind.replace('_', ' ')} <code>{id}</code></h2>
      <State pending={q.isPending} error={q.error}>
        <dl>
          {Object.entries(body).filter(([k]) => !shownApart.includes(k)).map(([k, v]) => (
            <div key={k}><dt>{k}</dt><dd>{typeof v === 'object' ? JSON.stringify(v) : String(v)}</dd></div>
          ))}
        </dl>
        <Differences of={(body.conflicts ?? []).map((c) => ({ ticket: c.ticketId, title: c.title ?? '', field: c.field, before: c.ticketValue, after: c.sourceValue }))} />
        {body.evidence && <h3>Evidence</h3>}
        {(body.evidence ?? []).map((e, i) => (
          <div key={i}>
            <p className="muted">{[e.author, e.date, e.type, e.reference].filter(Boolean).join(' · ')}</p>
            <blockquote>{e.snippet}</blockquote>
          </div>
        ))}
        <h3>Where it comes from</h3>
        <Sources of={body.sources} hint="No words were kept for this record." />
      </State>
    </section>
  )
}
