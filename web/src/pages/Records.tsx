import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must, type Schemas } from '../api/client'
import { count } from '../lib/count'
import { useMoment } from '../lib/moment'
import { Sources } from '../ui/Sources'
import { State } from '../ui/State'

/** Threads lists threads with decisions, actions and evidence. */
export function Threads({ project }: { project: string }) {
  const { asOf, query } = useMoment()
  const q = useQuery({
    queryKey: ['thread', project, asOf],
    queryFn: () => must(api.GET('/api/projects/{project}/threads', { params: { path: { project }, query: { ...query, newest: true, limit: 200 } } })),
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
