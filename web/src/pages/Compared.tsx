import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must } from '../api/client'
import { count } from '../lib/count'
import { useMoment } from '../lib/moment'

/** Compared lists the sources that were compared with the records, the last first; nothing when none was. */
export function Compared({ project }: { project: string }) {
  const { asOf, query } = useMoment()
  const q = useQuery({
    queryKey: ['reconciliation', project, asOf],
    queryFn: () => must(api.GET('/api/projects/{project}/reconciliations', { params: { path: { project }, query: { ...query, newest: true, limit: 50 } } })),
  })
  const all = q.data?.items ?? []
  if (all.length === 0) return null
  return (
    <>
      <h3>Sources that were compared <span className="text-muted">{q.data?.total}</span></h3>
      {all.map((r) => (
        <p key={r.id} className="my-1">
          <Link to="/records/$id" params={{ id: r.id }}>{[r.body.sourceType || 'A source', r.body.part].filter(Boolean).join(', ')}</Link>{' '}
          <span className="text-muted">{r.createdAt.slice(0, 10)} · {r.body.status} · {count(r.body.mappings?.length, 'row')}, {count(r.body.conflicts?.length, 'conflict')}</span>
        </p>
      ))}
    </>
  )
}
