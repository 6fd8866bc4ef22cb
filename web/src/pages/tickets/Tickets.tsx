import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { api, must } from '../../api/client'
import { useMayEdit, useMoment } from '../../lib/moment'
import { useWord } from '../../lib/project'
import { useRows } from '../../lib/rows'
import { LongTable } from '../../ui/LongTable'
import { State } from '../../ui/State'
import { Bulk } from './Bulk'
import { Edit } from './Edit'
import { statuses } from './values'

/** page is how many tickets are asked for at once. */
const page = 200

/** useTickets are the tickets that fit, more as one asks. */
function useTickets(project: string, text: string, status: string, filter: string) {
  const { asOf, query } = useMoment()
  return useInfiniteQuery({
    queryKey: ['ticket', project, text, status, filter, asOf],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      must(api.GET('/api/projects/{project}/tickets', { params: { path: { project }, query: { ...query, q: text || undefined, status: status || undefined, filter: filter || undefined, cursor: pageParam || undefined, newest: true, limit: page } } })),
    getNextPageParam: (last) => last.next || undefined,
    placeholderData: keepPreviousData,
  })
}

/** Tickets lists tickets, narrowed by words, status and filter; they are edited where they stand, one by one or together. */
export function Tickets({ project }: { project: string }) {
  const navigate = useNavigate()
  const [text, setText] = useWord('q')
  const [status, setStatus] = useWord('status')
  const [filter, setFilter] = useWord('filter')
  const may = useMayEdit()
  const [editing, setEditing] = useState('')
  const [marked, setMarked] = useState<string[]>([])
  const q = useTickets(project, text, status, filter)
  const people = useQuery({ queryKey: ['capacity', project], enabled: editing !== '', queryFn: () => must(api.GET('/api/projects/{project}/capacity', { params: { path: { project } } })) })
  const rows = q.data?.pages.flatMap((p) => p.items ?? []) ?? []
  const idOf = (i: number) => rows[i]?.id ?? ''
  const { row: place } = useRows(rows.map((r) => r.id), {
    Enter: { does: 'open the ticket', act: (id) => void navigate({ to: '/records/$id', params: { id } } as never) },
    ...(may && {
      e: { does: 'edit it here', act: setEditing },
      x: { does: 'mark it for a change of many', act: (id: string) => setMarked((m) => (m.includes(id) ? m.filter((x) => x !== id) : [...m, id])) },
    }),
  })
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = q
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  const cells = (i: number) => {
    const r = rows[i]
    if (!r) return []
    if (may && r.id === editing) return { whole: <Edit project={project} ticket={r} people={(people.data?.resources ?? []).map((p) => p.name)} onClose={() => setEditing('')} /> }
    return [
      r.body.externalRef, <Link key="title" to="/records/$id" params={{ id: r.id }}>{r.body.title}</Link>,
      r.body.status, r.body.priority, r.body.storyPoints, r.owner || 'UNASSIGNED', r.body.dueDate,
    ]
  }
  return (
    <section>
      <h2>Tickets <span className="muted" data-testid="total">{q.data?.pages[0]?.total}</span></h2>
      <div className="row">
        <input placeholder="Words in the title" aria-label="Words in the title" value={text} onChange={(e) => setText(e.target.value)} />
        <select aria-label="Status" value={status} onChange={(e) => setStatus(e.target.value)}>
          <option value="">any status</option>
          {statuses.map((s) => <option key={s}>{s}</option>)}
        </select>
        <form className="grow" onSubmit={(e) => { e.preventDefault(); setFilter(String(new FormData(e.currentTarget).get('filter') ?? '').trim()) }}>
          <input name="filter" key={filter} defaultValue={filter} aria-label="Filter" placeholder='Filter, then Enter: owner:"Joe" updated:>2w points:>=3 -label:ui' />
        </form>
      </div>
      {may && marked.length > 0 && <Bulk project={project} ids={marked} onDone={() => setMarked([])} />}
      <State pending={q.isPending} error={q.error} empty={rows.length === 0} hint="No tickets fit. They come from exports and minutes: see Intake.">
        <LongTable
          heads={['Key', 'Title', 'Status', 'Priority', 'Points', 'Owner', 'Due']}
          count={rows.length}
          rowKey={idOf}
          row={cells}
          place={place}
          marked={(i) => marked.includes(idOf(i))}
          onEnd={more}
        />
      </State>
      <p className="muted"><kbd>j k</kbd> move <kbd>Enter</kbd> open{may && <> <kbd>e</kbd> edit <kbd>x</kbd> mark for a change of many</>}</p>
    </section>
  )
}
