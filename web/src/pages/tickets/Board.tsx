import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useMayEdit } from '../../lib/moment'
import { useKeys, usePane } from '../../lib/pane'
import { worded } from '../../lib/words'
import { Failed, State } from '../../ui/State'
import { Status } from '../../ui/Status'
import { Card } from './Card'
import { type Ticket, useMove, useTickets } from './useTickets'
import { neighbour, statuses } from './values'

/** page is how many cards of a column are shown at first. */
const page = 50

type Shown = { project: string; text: string; filter: string }
type Column = ReturnType<typeof useColumn>

/** useColumn are the tickets of one status. */
function useColumn({ project, text, filter }: Shown, status: string) {
  const q = useTickets(project, { text, status, filter, sort: '' }, page)
  return { status, q, tickets: q.data?.pages.flatMap((p) => p.items ?? []) ?? [], total: q.data?.pages[0]?.total }
}

/** Board shows the tickets by status. They are moved by keys or with the mouse, and that shows at once. */
export function Board(shown: Shown) {
  return <Asked shown={shown} before={[]} />
}

/** Asked asks for the next status, and draws the columns after the last one: each asks in a component of its own, since hooks are not called in a loop. */
function Asked({ shown, before }: { shown: Shown; before: Column[] }) {
  const columns = [...before, useColumn(shown, statuses[before.length] ?? '')]
  return columns.length < statuses.length ? <Asked shown={shown} before={columns} /> : <Columns project={shown.project} columns={columns} />
}

function Columns({ project, columns }: { project: string; columns: Column[] }) {
  const navigate = useNavigate()
  const { pick } = usePane()
  const may = useMayEdit()
  const move = useMove(project)
  const [chosen, choose] = useState('')
  const [over, setOver] = useState('') // the column that something is dragged over
  const cards = useRef(new Map<string, HTMLElement>())
  const column = columns.find((c) => c.tickets.some((t) => t.id === chosen)) ?? columns.find((c) => c.tickets.length > 0)
  const at = column ? Math.max(column.tickets.findIndex((t) => t.id === chosen), 0) : 0
  const here = column?.tickets[at]
  const take = (t: Ticket | undefined) => {
    if (!t) return
    choose(t.id)
    pick({ kind: 'record', id: t.id })
    cards.current.get(t.id)?.focus()
  }
  const aside = (step: number) => {
    for (let i = columns.indexOf(column as never) + step; columns[i]; i += step) {
      const to = columns[i]?.tickets
      if (to && to.length > 0) return take(to[Math.min(at, to.length - 1)])
    }
  }
  const shift = (step: number) => {
    const to = here && neighbour(here.body.status, step)
    if (!to) return
    choose(here.id)
    move.mutate({ ticket: here, to })
  }
  useKeys([
    { key: 'j ArrowDown', does: 'the next card', act: () => take(column?.tickets[at + 1]) },
    { key: 'k ArrowUp', does: 'the card before', act: () => take(column?.tickets[at - 1]) },
    { key: 'l ArrowRight', does: 'the column to the right', act: () => aside(1) },
    { key: 'h ArrowLeft', does: 'the column to the left', act: () => aside(-1) },
  ], true)
  useKeys([
    ...(may ? [{ key: '>', does: 'move the ticket to the right', act: () => shift(1) }, { key: '<', does: 'move it to the left', act: () => shift(-1) }] : []),
    { key: 'Enter', does: 'open the ticket', act: () => here && void navigate({ to: '/records/$id', params: { id: here.id } } as never) },
  ])
  const drop = (to: string, id: string) => {
    setOver('')
    const ticket = columns.flatMap((c) => c.tickets).find((t) => t.id === id)
    if (may && ticket && ticket.body.status !== to) move.mutate({ ticket, to })
  }
  return (
    <>
      <Failed of={move.error} before={`${move.variables?.ticket.body.title} is still ${worded(move.variables?.ticket.body.status)}. `} />
      <div className="grid auto-cols-[minmax(13rem,1fr)] grid-flow-col gap-2 overflow-x-auto pb-2" data-testid="board">
        {columns.map((c) => (
          <section
            key={c.status}
            aria-label={worded(c.status)}
            onDragOver={(e) => { e.preventDefault(); setOver(c.status) }}
            onDragLeave={() => setOver('')}
            onDrop={(e) => drop(c.status, e.dataTransfer.getData('text/plain'))}
            className={`min-h-40 border-t-2 ${over === c.status ? 'border-focus bg-panel' : 'border-line'}`}
          >
            <h3 className="my-2!"><Status of={c.status} /> <span className="text-muted">{c.total}</span></h3>
            <State pending={c.q.isPending} error={c.q.error}>
              {c.tickets.map((t) => (
                <Card key={t.id} ticket={t} chosen={t.id === here?.id} moves={may} onChosen={() => { choose(t.id); pick({ kind: 'record', id: t.id }) }} place={cards.current} />
              ))}
              {c.q.hasNextPage && <button type="button" disabled={c.q.isFetchingNextPage} onClick={() => void c.q.fetchNextPage()}>{`${(c.total ?? 0) - c.tickets.length} more`}</button>}
            </State>
          </section>
        ))}
      </div>
    </>
  )
}
