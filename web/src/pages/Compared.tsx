import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must, type Schemas } from '../api/client'
import { change } from '../lib/change'
import { shown, spoken } from '../lib/changes'
import { count } from '../lib/count'
import { useMayEdit, useMoment } from '../lib/moment'
import type { useRows } from '../lib/rows'
import { day } from '../lib/when'
import { worded } from '../lib/words'

type Reconciliation = Schemas['RecordOfReconciliationBody']
type Decision = Schemas['ConflictsBody']
type Row = ReturnType<typeof useRows>['row']

/** openOf are the conflicts of a reconciliation that a person still has to decide, with their places. */
const openOf = (r: Reconciliation) => (r.body.conflicts ?? []).map((c, at) => ({ c, at })).filter(({ c }) => c.asked && !c.taken)

/** idOf is the row of a conflict: of which reconciliation, at which place. */
const idOf = (r: Reconciliation, at: number) => `${r.id}/${at}`

/** useConflicts are the sources that were compared with the records, the last first, the rows of what is left to decide, and how that is decided. */
export function useConflicts(project: string) {
  const queries = useQueryClient()
  const may = useMayEdit()
  const { asOf, query } = useMoment()
  const q = useQuery({
    queryKey: ['reconciliation', project, asOf],
    queryFn: () => must(api.GET('/api/projects/{project}/reconciliations', { params: { path: { project }, query: { ...query, newest: true, limit: 50 } } })),
  })
  const decide = useMutation({
    mutationFn: ({ of, ...body }: Decision & { of: string }) => change(body.take === 'MINE' ? 'Kept mine' : 'Took theirs', api.POST('/api/projects/{project}/reconciliations/{id}/decisions', { params: { path: { project, id: of } }, body })),
    onSettled: () => Promise.all([queries.invalidateQueries({ queryKey: ['reconciliation'] }), queries.invalidateQueries({ queryKey: ['ticket'] })]),
  })
  const all = q.data?.items ?? []
  const rows = all.flatMap((r) => openOf(r).slice(0, shownAtOnce).map(({ at }) => idOf(r, at)))
  const take = (row: string, take: Decision['take']) => {
    const [of = '', at] = row.split('/')
    const asked = decide.isPending && decide.variables.of === of && (decide.variables.conflicts ?? [Number(at)]).includes(Number(at)) // none named is all of them
    if (may && rows.includes(row) && !asked) decide.mutate({ of, take, conflicts: [Number(at)] })
  }
  return { all, total: q.data?.total, rows, may, decide, take }
}

type Held = ReturnType<typeof useConflicts>

/** Compared lists the sources that were compared with the records, the last first, with what is left to decide; nothing when none was. */
export function Compared({ of, row }: { of: Held; row: Row }) {
  if (of.all.length === 0) return null
  return (
    <>
      {of.all.filter((r) => openOf(r).length > 0).map((r) => <Conflicts key={r.id} of={r} held={of} row={row} />)}
      <h3>Sources that were compared <span className="text-muted">{of.total}</span></h3>
      {of.all.map((r) => (
        <p key={r.id} className="my-1">
          <Link to="/records/$id" params={{ id: r.id }}>{[r.body.sourceType || 'A source', r.body.part].filter(Boolean).join(', ')}</Link>{' '}
          <span className="text-muted">{day(r.createdAt)} · {worded(r.body.status)} · {count(r.body.mappings?.length, 'row')}, {count(r.body.conflicts?.length, 'difference')}</span>
        </p>
      ))}
    </>
  )
}

/** Conflicts has it decided where a source and tickets were both changed since the last import. */
function Conflicts({ of, held, row }: { of: Reconciliation; held: Held; row: Row }) {
  const open = openOf(of)
  const { may, decide } = held
  const busy = decide.isPending
  return (
    <section aria-label={`Changed here and in ${of.body.part || 'a source'}`} data-testid="conflicts">
      <h3>Changed here and in {of.body.part || 'a source'} <span className="text-muted">{open.length}</span></h3>
      {may && <p className="text-muted @max-md:hidden"><kbd>j k</kbd> move · <kbd className="text-text!">m</kbd> keep mine · <kbd className="text-text!">t</kbd> take theirs</p>}
      {decide.error && decide.variables.of === of.id && <p className="danger" role="alert">{decide.error.message}</p>}
      {may && open.length > 1 && (
        <div className="flex flex-wrap gap-2">
          <button type="button" disabled={busy} onClick={() => decide.mutate({ of: of.id, take: 'MINE' })}>Keep all mine</button>
          <button type="button" disabled={busy} onClick={() => decide.mutate({ of: of.id, take: 'THEIRS' })}>Take all theirs</button>
        </div>
      )}
      {open.slice(0, shownAtOnce).map(({ c, at }) => (
        <article key={at} {...row(idOf(of, at))} className={`card ${row('').className}`} aria-label={`${c.title ?? ''} ${spoken(c.field)}`}>
          <p><Link to="/records/$id" params={{ id: c.ticketId ?? '' }}>{c.title}</Link> <span className="text-muted">{spoken(c.field)}</span></p>
          <div className="grid gap-x-4 @2xl:grid-cols-2">
            {([['Here', c.ticketValue], ['In the source', c.sourceValue]] as const).map(([where, value]) => (
              <div key={where} className="border-l-2 border-line pl-2 my-1 min-w-0 wrap-anywhere"><div className="text-muted">{where}</div><div>{shown(value) || <span className="text-muted">nothing</span>}</div></div>
            ))}
          </div>
          {may && (
            <div className="flex flex-wrap gap-2">
              <button type="button" className="px-2 py-0" disabled={busy} aria-label={`Keep mine: ${c.title ?? ''} ${spoken(c.field)}`} onClick={() => held.take(idOf(of, at), 'MINE')}>Keep mine</button>
              <button type="button" className="px-2 py-0" disabled={busy} aria-label={`Take theirs: ${c.title ?? ''} ${spoken(c.field)}`} onClick={() => held.take(idOf(of, at), 'THEIRS')}>Take theirs</button>
            </div>
          )}
        </article>
      ))}
      {open.length > shownAtOnce && <p className="text-muted">{open.length - shownAtOnce} more follow when these are decided.</p>}
    </section>
  )
}

/** shownAtOnce is how many conflicts of a source stand on the page at once. */
const shownAtOnce = 50
