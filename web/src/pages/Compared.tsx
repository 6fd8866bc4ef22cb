import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must, type Schemas } from '../api/client'
import { change } from '../lib/change'
import { count } from '../lib/count'
import { useMayEdit, useMoment } from '../lib/moment'
import { day } from '../lib/when'
import { worded } from '../lib/words'

type Reconciliation = Schemas['RecordOfReconciliationBody']
type Decision = Schemas['ConflictsBody']

/** openOf are the conflicts of a reconciliation that a person still has to decide, with their places. */
const openOf = (r: Reconciliation) => (r.body.conflicts ?? []).map((c, at) => ({ c, at })).filter(({ c }) => c.asked && !c.taken)

/** Compared lists the sources that were compared with the records, the last first, with what is left to decide; nothing when none was. */
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
      {all.filter((r) => openOf(r).length > 0).map((r) => <Conflicts key={r.id} of={r} />)}
      <h3>Sources that were compared <span className="text-muted">{q.data?.total}</span></h3>
      {all.map((r) => (
        <p key={r.id} className="my-1">
          <Link to="/records/$id" params={{ id: r.id }}>{[r.body.sourceType || 'A source', r.body.part].filter(Boolean).join(', ')}</Link>{' '}
          <span className="text-muted">{day(r.createdAt)} · {worded(r.body.status)} · {count(r.body.mappings?.length, 'row')}, {count(r.body.conflicts?.length, 'difference')}</span>
        </p>
      ))}
    </>
  )
}

/** Conflicts has it decided where a source and tickets were both changed since the last import. */
function Conflicts({ of }: { of: Reconciliation }) {
  const queries = useQueryClient()
  const may = useMayEdit()
  const open = openOf(of)
  const decide = useMutation({
    mutationFn: (body: Decision) => change(body.take === 'MINE' ? 'Kept mine' : 'Took theirs', api.POST('/api/projects/{project}/reconciliations/{id}/decisions', { params: { path: { project: of.projectId, id: of.id } }, body })),
    onSettled: () => Promise.all([queries.invalidateQueries({ queryKey: ['reconciliation'] }), queries.invalidateQueries({ queryKey: ['ticket'] })]),
  })
  const busy = decide.isPending
  return (
    <section aria-label={`Changed here and in ${of.body.part || 'a source'}`} data-testid="conflicts">
      <h3>Changed here and in {of.body.part || 'a source'} <span className="text-muted">{open.length}</span></h3>
      {decide.error && <p className="danger" role="alert">{decide.error.message}</p>}
      {may && open.length > 1 && (
        <div className="flex flex-wrap gap-2">
          <button type="button" disabled={busy} onClick={() => decide.mutate({ take: 'MINE' })}>Keep all mine</button>
          <button type="button" disabled={busy} onClick={() => decide.mutate({ take: 'THEIRS' })}>Take all theirs</button>
        </div>
      )}
      {open.slice(0, shown).map(({ c, at }) => (
        <article key={at} className="card" aria-label={`${c.title ?? ''} ${c.field}`}>
          <p><Link to="/records/$id" params={{ id: c.ticketId ?? '' }}>{c.title}</Link> <span className="text-muted">{c.field}</span></p>
          <div className="grid gap-x-4 @2xl:grid-cols-2">
            {([['Here', c.ticketValue], ['In the source', c.sourceValue]] as const).map(([where, value]) => (
              <div key={where} className="border-l-2 border-line pl-2 my-1 min-w-0 wrap-anywhere"><div className="text-muted">{where}</div><div>{value || <span className="text-muted">nothing</span>}</div></div>
            ))}
          </div>
          {may && (
            <div className="flex flex-wrap gap-2">
              <button type="button" className="px-2 py-0" disabled={busy} aria-label={`Keep mine: ${c.title ?? ''} ${c.field}`} onClick={() => decide.mutate({ take: 'MINE', conflicts: [at] })}>Keep mine</button>
              <button type="button" className="px-2 py-0" disabled={busy} aria-label={`Take theirs: ${c.title ?? ''} ${c.field}`} onClick={() => decide.mutate({ take: 'THEIRS', conflicts: [at] })}>Take theirs</button>
            </div>
          )}
        </article>
      ))}
      {open.length > shown && <p className="text-muted">{open.length - shown} more follow when these are decided.</p>}
    </section>
  )
}

/** shown is how many conflicts stand on the page at once. */
const shown = 50
