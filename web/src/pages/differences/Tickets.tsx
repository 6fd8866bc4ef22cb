import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, must, type Schemas } from '../../api/client'
import { spoken } from '../../lib/changes'
import { useMoment } from '../../lib/moment'
import { useWord } from '../../lib/project'
import { useRows } from '../../lib/rows'
import { day } from '../../lib/when'
import { worded } from '../../lib/words'
import { LongTable } from '../../ui/LongTable'
import { State } from '../../ui/State'
import { Head, Then } from './Head'

type Diff = Schemas['TicketDiff']
type Side = NonNullable<Diff['now']>

/** ops are what can become of a ticket in a list. */
const ops: { [op: string]: { mark: string; word: string; look: string } } = {
  added: { mark: '+', word: 'added', look: 'text-up' },
  removed: { mark: '−', word: 'removed', look: 'text-danger' },
  changed: { mark: '~', word: 'changed', look: 'text-link' },
}

/** cells are the cells of a ticket, as people read them. */
const cells: { [head: string]: (s: Side) => string } = {
  Status: (s) => worded(s.status), Priority: (s) => worded(s.priority), Points: (s) => (s.points ? String(s.points) : ''), Owner: (s) => s.owner ?? '', Due: (s) => day(s.due), Sprint: (s) => s.sprint ?? '',
}

/** Tickets are the differences of the list of tickets, as it is narrowed: what came in, what left, and each changed cell. */
export function Tickets({ project }: { project: string }) {
  const navigate = useNavigate()
  const { asOf, since } = useMoment()
  const [text] = useWord('q')
  const [status] = useWord('status')
  const [filter] = useWord('filter')
  const q = useInfiniteQuery({
    initialPageParam: '',
    queryKey: ['ticket', project, 'compare', since, asOf, text, status, filter],
    queryFn: ({ pageParam }) =>
      must(api.GET('/api/projects/{project}/changes/tickets', { params: { path: { project }, query: { from: since, to: asOf || undefined, q: text || undefined, status: status || undefined, filter: filter || undefined, cursor: pageParam || undefined } } })),
    getNextPageParam: (last) => last.next || undefined,
  })
  const order = Object.keys(ops)
  const all = (q.data?.pages.flatMap((p) => p.items ?? []) ?? []).toSorted((a, b) => order.indexOf(a.op) - order.indexOf(b.op))
  const { row } = useRows(all.map((d) => d.id), { Enter: { does: 'open the ticket', act: (id) => void navigate({ to: '/records/$id', params: { id }, search: { since: undefined } } as never) } }, (id) => ({ kind: 'record', id }))
  const narrowed = [text, status && worded(status), filter].filter(Boolean).join(' ')
  return (
    <section aria-label="Differences of tickets">
      <Head title="Tickets">
        {order.map((op) => <span key={op} className={ops[op]?.look} data-testid={op}>{ops[op]?.mark} {all.filter((d) => d.op === op).length}{q.hasNextPage && ' or more'} {op}</span>)}
        {narrowed !== '' && <span className="text-muted">in the list of {narrowed}</span>}
      </Head>
      <State pending={q.isPending} error={q.error} empty={all.length === 0 && !q.hasNextPage} hint="No ticket of this list is different between the two moments.">
        <LongTable
          heads={['', { name: 'Key', width: 'line' }, { name: 'Title', width: 'rest' }, { name: 'Status', width: 'line' }, { name: 'Priority', width: 'line', from: 52 }, { name: 'Points', from: 64 }, { name: 'Owner', width: 'name' }, { name: 'Due', from: 40 }, { name: 'Sprint', width: 'name', from: 80 }]}
          count={all.length} rowKey={(i) => all[i]?.id ?? ''} row={(i) => cellsOf(all[i])} place={row}
        />
        {q.hasNextPage && <button type="button" disabled={q.isFetchingNextPage} onClick={() => void q.fetchNextPage()}>More</button>}
      </State>
    </section>
  )
}

function cellsOf(d: Diff | undefined): ReactNode[] {
  const side = d?.now ?? d?.then
  if (!d || !side) return []
  const op = ops[d.op] ?? { mark: '?', word: d.op, look: '' }
  const old = d.op === 'removed'
  const both = d.then && d.now
  const title = both && both.title !== d.then?.title ? <><s className="text-muted decoration-danger">{d.then?.title}</s> → {side.title}</> : side.title
  return [
    <span key="op" className={`whitespace-nowrap ${op.look}`}>{op.mark} {d.gone ? 'deleted' : op.word}</span>,
    side.key ?? '',
    <span key="title" className={old ? 'line-through decoration-danger' : ''}>
      {d.gone ? side.title : <Link to="/records/$id" params={{ id: d.id }} search={{ since: undefined } as never}>{title}</Link>}
      {(d.others ?? []).length > 0 && <span className="text-muted"> also {(d.others ?? []).map(spoken).join(', ')}</span>}
    </span>,
    ...Object.entries(cells).map(([name, of]) => (both ? <Then key={name} was={of(d.then as Side)} is={of(d.now as Side)} /> : <span key={name} className={old ? 'text-muted' : 'text-up'}>{of(side)}</span>)),
  ]
}
