import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must } from '../../api/client'
import { spoken } from '../../lib/changes'
import { useMoment } from '../../lib/moment'
import type { useRows } from '../../lib/rows'
import { Status } from '../../ui/Status'
import type { Relation } from './relations'

type Row = ReturnType<typeof useRows>['row']

/** useRecord is a record of any kind, as it was at the shown moment. */
export function useRecord(id: string) {
  const { asOf, query } = useMoment()
  return useQuery({ queryKey: ['record', id, asOf], queryFn: () => must(api.GET('/api/records/{id}', { params: { path: { id }, query } })) })
}

/** useReferences is what a record refers to and what refers to it, as it was at the shown moment. */
export function useReferences(id: string) {
  const { asOf, query } = useMoment()
  return useQuery({ queryKey: ['record', id, 'references', asOf], queryFn: () => must(api.GET('/api/records/{id}/references', { params: { path: { id }, query } })) })
}

/** useHistory is what each event changed of a record, the last first. */
export function useHistory(id: string) {
  const q = useQuery({ queryKey: ['record', id, 'history'], queryFn: () => must(api.GET('/api/records/{id}/history', { params: { path: { id } } })) })
  return { ...q, all: (q.data?.items ?? []).toReversed() }
}

/** useComments is what was said of a record. */
export function useComments(project: string, id: string) {
  const { asOf, query } = useMoment()
  return useQuery({
    queryKey: ['comment', project, id, asOf],
    queryFn: () => must(api.GET('/api/projects/{project}/comments', { params: { path: { project }, query: { ...query, refersTo: id, newest: true, limit: 200 } } })),
    enabled: project !== '',
  })
}

/** Around lists the records around one, by how they stand to it. */
export function Around(p: { of: Relation[]; row: Row }) {
  return p.of.map((g) => (
    <section key={g.name} aria-label={g.name}>
      <h3>{g.name} <span className="font-normal text-muted">{g.of.length}</span></h3>
      {g.of.map((m) => {
        const { className, ...place } = p.row(`by ${m.id}`)
        return (
          <div key={m.id} {...place} className={`flex items-baseline gap-x-3 border-b border-line px-2 py-0.5 ${className}`}>
            <Link to="/records/$id" params={{ id: m.id }} className="min-w-0 flex-1">{m.title || spoken(m.kind)}</Link>
            {m.status ? <Status of={m.status} /> : <span className="text-muted">{spoken(m.kind)}</span>}
          </div>
        )
      })}
    </section>
  ))
}
