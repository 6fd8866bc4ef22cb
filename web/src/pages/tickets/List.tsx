import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type MouseEvent, type ReactNode, useCallback, useState } from 'react'
import { api, must } from '../../api/client'
import { useMayEdit } from '../../lib/moment'
import { every, none, ranged, toggled } from '../../lib/marks'
import { useKeys, usePane } from '../../lib/pane'
import { useRows } from '../../lib/rows'
import { day } from '../../lib/when'
import { worded } from '../../lib/words'
import { LongTable } from '../../ui/LongTable'
import { Person } from '../../ui/Person'
import { Severity } from '../../ui/Severity'
import { Failed, State } from '../../ui/State'
import { Status } from '../../ui/Status'
import { Bulk } from './Bulk'
import { type Chosen, columns, shown } from './columns'
import { Edit } from './Edit'
import { type Narrowed, type Ticket, useMove, useTickets } from './useTickets'
import { neighbour } from './values'

/** next is the sort after a click on a column: up, down, and the usual one again. */
const next = (sort: string, by: string) => (sort === by ? `-${by}` : sort === `-${by}` ? '' : by)
const direction = (sort: string, by: string) => (sort === by ? 'ascending' : sort === `-${by}` ? 'descending' : 'none') as 'ascending' | 'descending' | 'none'

/** List is the table of the tickets that fit; they are edited where they stand, one by one or together. */
export function List(p: { project: string; by: Narrowed; chosen: Chosen; onSort: (sort: string) => void }) {
  const { project, by } = p
  const navigate = useNavigate()
  const { beside } = usePane()
  const may = useMayEdit()
  const [editing, setEditing] = useState('')
  const [marks, setMarks] = useState(none)
  const marked = marks.ids
  const q = useTickets(project, by)
  const move = useMove(project)
  const people = useQuery({ queryKey: ['capacity', project], enabled: editing !== '' || marked.length > 0, queryFn: () => must(api.GET('/api/projects/{project}/capacity', { params: { path: { project } } })) })
  const rows = q.data?.pages.flatMap((g) => g.items ?? []) ?? []
  const visible = shown(columns, p.chosen, q.data?.pages[0]?.items ?? [])
  const idOf = (i: number) => rows[i]?.id ?? ''
  const shift = (step: number) => (id: string) => {
    const ticket = rows.find((r) => r.id === id)
    const to = ticket && neighbour(ticket.body.status, step)
    if (to) move.mutate({ ticket, to })
  }
  const ids = rows.map((r) => r.id)
  const { at, row: rowPlace, move: step } = useRows(ids, {
    Enter: { does: 'open the ticket', act: (id) => void navigate({ to: '/records/$id', params: { id } } as never) },
    o: { does: 'show it beside', act: (id) => beside(`/records/${id}?project=${project}`) },
    ...(may && {
      e: { does: 'edit it here', act: setEditing },
      '>': { does: 'its next status', act: shift(1) },
      '<': { does: 'the status before', act: shift(-1) },
      x: { does: 'mark it for a change of many', act: (id: string) => setMarks((m) => toggled(m, id)) },
      '*': { does: 'mark all that are shown', act: () => setMarks(every(ids)) },
    }),
  }, (id) => ({ kind: 'record', id }))
  const extend = (by: number) => () => {
    const to = ids[Math.min(Math.max(ids.indexOf(at) + by, 0), ids.length - 1)]
    if (to === undefined) return
    setMarks((m) => ranged(m, ids, at, to))
    step(by)
  }
  useKeys(may && ids.length > 0 ? [{ key: 'J', does: 'mark on to the next row', act: extend(1) }, { key: 'K', does: 'mark on to the row before', act: extend(-1) }] : [], true)
  /** place is the place of a row: a press with Shift marks all rows from the one that was marked or chosen last. */
  const place = (id: string) => {
    const own = rowPlace(id)
    return {
      ...own,
      onMouseDown: (e: MouseEvent<HTMLElement>) => e.shiftKey && e.preventDefault(), // or it would select text
      onClickCapture: (e: MouseEvent<HTMLElement>) => {
        if (!may || !e.shiftKey) return
        e.preventDefault() // or a title would open a window
        e.stopPropagation()
        setMarks((m) => ranged(m, ids, at, id))
      },
    }
  }
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = q
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  const cells = (i: number) => {
    const r = rows[i]
    if (!r) return []
    if (may && r.id === editing) return { whole: <Edit project={project} ticket={r} people={(people.data?.resources ?? []).map((c) => c.name)} onClose={() => setEditing('')} /> }
    const cells = cellsOf(r)
    return visible.map((c) => cells[c.name])
  }
  return (
    <>
      {may && marked.length > 0 && <Bulk project={project} ids={marked} people={(people.data?.resources ?? []).map((c) => c.name)} onDone={() => setMarks(none)} />}
      <Failed of={move.error} before={`${move.variables?.ticket.body.title} is still ${worded(move.variables?.ticket.body.status)}. `} />
      <State pending={q.isPending} error={q.error} empty={rows.length === 0} hint="No tickets fit. They come from exports and minutes: see Intake.">
        <LongTable
          heads={visible.map((c) => (c.by ? { ...c, sort: { dir: direction(by.sort, c.by), by: () => p.onSort(next(by.sort, c.by)) } } : c))}
          count={rows.length}
          rowKey={idOf}
          row={cells}
          place={place}
          marked={(i) => marked.includes(idOf(i))}
          onEnd={more}
          compact
        />
      </State>
    </>
  )
}

function cellsOf(r: Ticket): { [column: string]: ReactNode } {
  const { body } = r
  return {
    Key: body.externalRef,
    Title: <Link to="/records/$id" params={{ id: r.id }} title={body.title}>{body.title}</Link>,
    Status: <Status of={body.status} more={body.outcome && worded(String(body.outcome)).toLowerCase()} />,
    Priority: <Severity of={body.priority} />,
    Points: body.storyPoints,
    Owner: <Person name={r.owner} />,
    Due: day(body.dueDate),
    Sprint: body.sprint,
  }
}
