import { Link } from '@tanstack/react-router'
import { day } from '../../lib/when'
import { Person } from '../../ui/Person'
import { Severity } from '../../ui/Severity'
import type { Ticket } from './useTickets'

/** Card is a ticket on the board. */
export function Card(p: { ticket: Ticket; chosen: boolean; moves: boolean; onChosen: () => void; place: Map<string, HTMLElement> }) {
  const { id, body, owner } = p.ticket
  return (
    <article
      ref={(el) => {
        if (el) p.place.set(id, el)
        else p.place.delete(id)
      }}
      tabIndex={p.chosen ? 0 : -1}
      aria-current={p.chosen ? 'true' : undefined}
      draggable={p.moves}
      onDragStart={(e) => e.dataTransfer.setData('text/plain', id)}
      onFocus={p.chosen ? undefined : p.onChosen}
      className="my-1 border border-line bg-panel px-2 py-1 aria-[current=true]:border-focus aria-[current=true]:bg-selected"
    >
      <div className="flex flex-wrap justify-between gap-x-2 text-muted">
        <span>{body.externalRef}</span>
        <Severity of={body.priority} />
      </div>
      <div className="wrap-anywhere"><Link to="/records/$id" params={{ id }} draggable={false}>{body.title}</Link></div>
      <div className="flex flex-wrap justify-between gap-x-2 text-muted">
        <Person name={owner} />
        <span>{day(body.dueDate)} {body.storyPoints !== undefined && <b className="text-text">{body.storyPoints}</b>}</span>
      </div>
    </article>
  )
}
