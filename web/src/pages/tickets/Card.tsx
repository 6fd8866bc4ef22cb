import { Link } from '@tanstack/react-router'
import type { Ticket } from './useTickets'
import { tone } from './values'

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
      className="my-1 border border-line bg-panel px-2 py-1 aria-[current=true]:border-accent"
    >
      <div className="flex flex-wrap justify-between gap-x-2 text-muted">
        <span>{body.externalRef}</span>
        <span className={tone(body.priority)}>{body.priority}</span>
      </div>
      <div><Link to="/records/$id" params={{ id }} draggable={false}>{body.title}</Link></div>
      <div className="flex flex-wrap justify-between gap-x-2 text-muted">
        <span>{owner || 'UNASSIGNED'}</span>
        <span>{body.dueDate} {body.storyPoints !== undefined && <b className="text-text">{body.storyPoints}</b>}</span>
      </div>
    </article>
  )
}
