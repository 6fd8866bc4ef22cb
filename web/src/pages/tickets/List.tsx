import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { api, must } from '../../api/client'
import { useMayEdit } from '../../lib/moment'
import { usePane } from '../../lib/pane'
import { useRows } from '../../lib/rows'
import { type Head, LongTable } from '../../ui/LongTable'
import { Failed, State } from '../../ui/State'
import { Bulk } from './Bulk'
import { Edit } from './Edit'
import { type Narrowed, type Ticket, useMove, useTickets } from './useTickets'
import { neighbour, stands, tone } from './values'

/** columns are those of the table, with the field that each is sorted by. */
const columns: (Head & { by: string })[] = [
  { name: 'Key', by: 'externalRef' }, { name: 'Title', by: 'title', width: 'rest' }, { name: 'Status', by: 'status' }, { name: 'Priority', by: 'priority', from: 52 },
  { name: 'Points', by: 'points', from: 64 }, { name: 'Owner', by: '' }, { name: 'Due', by: 'due', from: 40 }, { name: 'Sprint', by: 'sprint', from: 80 },
]

/** next is the sort after a click on a column: up, down, and the usual one again. */
const next = (sort: string, by: string) => (sort === by ? `-${by}` : sort === `-${by}` ? '' : by)
const direction = (sort: string, by: string) => (sort === by ? 'ascending' : sort === `-${by}` ? 'descending' : 'none') as 'ascending' | 'descending' | 'none'

/** List is the table of the tickets that fit; they are edited where they stand, one by one or together. */
export function List(p: { project: string; by: Narrowed; onSort: (sort: string) => void }) {
  const { project, by } = p
  const navigate = useNavigate()
  const { beside } = usePane()
  const may = useMayEdit()
  const [editing, setEditing] = useState('')
  const [marked, setMarked] = useState<string[]>([])
  const q = useTickets(project, by)
  const move = useMove(project)
  const people = useQuery({ queryKey: ['capacity', project], enabled: editing !== '', queryFn: () => must(api.GET('/api/projects/{project}/capacity', { params: { path: { project } } })) })
  const rows = q.data?.pages.flatMap((g) => g.items ?? []) ?? []
  const idOf = (i: number) => rows[i]?.id ?? ''
  const shift = (step: number) => (id: string) => {
    const ticket = rows.find((r) => r.id === id)
    const to = ticket && neighbour(ticket.body.status, step)
    if (to) move.mutate({ ticket, to })
  }
  const { row: place } = useRows(rows.map((r) => r.id), {
    Enter: { does: 'open the ticket', act: (id) => void navigate({ to: '/records/$id', params: { id } } as never) },
    o: { does: 'show it beside', act: (id) => beside(`/records/${id}?project=${project}`) },
    ...(may && {
      e: { does: 'edit it here', act: setEditing },
      '>': { does: 'its next status', act: shift(1) },
      '<': { does: 'the status before', act: shift(-1) },
      x: { does: 'mark it for a change of many', act: (id: string) => setMarked((m) => (m.includes(id) ? m.filter((x) => x !== id) : [...m, id])) },
    }),
  }, (id) => ({ kind: 'record', id }))
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = q
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  const cells = (i: number) => {
    const r = rows[i]
    if (!r) return []
    if (may && r.id === editing) return { whole: <Edit project={project} ticket={r} people={(people.data?.resources ?? []).map((c) => c.name)} onClose={() => setEditing('')} /> }
    return cellsOf(r)
  }
  return (
    <>
      {may && marked.length > 0 && <Bulk project={project} ids={marked} onDone={() => setMarked([])} />}
      <Failed of={move.error} before={`${move.variables?.ticket.body.title} is ${move.variables?.ticket.body.status} as before. `} />
      <State pending={q.isPending} error={q.error} empty={rows.length === 0} hint="No tickets fit. They come from exports and minutes: see Intake.">
        <LongTable
          heads={columns.map((c) => (c.by ? { ...c, sort: { dir: direction(by.sort, c.by), by: () => p.onSort(next(by.sort, c.by)) } } : c))}
          count={rows.length}
          rowKey={idOf}
          row={cells}
          place={place}
          marked={(i) => marked.includes(idOf(i))}
          onEnd={more}
        />
      </State>
    </>
  )
}

function cellsOf(r: Ticket) {
  const { body } = r
  return [
    body.externalRef, <Link key="title" to="/records/$id" params={{ id: r.id }} title={body.title}>{body.title}</Link>,
    <span key="status" className={tone(body.status)}>{stands(body.status, body.outcome)}</span>, <span key="priority" className={tone(body.priority)}>{body.priority}</span>,
    body.storyPoints, r.owner || <span key="nobody" className="text-muted">UNASSIGNED</span>, body.dueDate, body.sprint,
  ]
}
