import { type Agent, agentName } from '../../lib/agents'
import { Presence } from '../../ui/Presence'

/** Names are the agents that fit what was written after @. */
export function Names(p: { of: Agent[]; at: number; onChosen: (name: string) => void }) {
  return (
    <div id="names" role="listbox" aria-label="Agents" className="absolute inset-x-0 bottom-full z-10 border border-accent bg-panel py-1">
      {p.of.map((a, i) => {
        const name = agentName(a)
        return (
          <div
            key={name} id={`name-${name}`} role="option" aria-selected={i === p.at} tabIndex={-1}
            className={`flex cursor-pointer gap-3 px-2 py-0.5 ${i === p.at ? 'bg-chosen' : ''}`}
            onMouseDown={(e) => {
              e.preventDefault()
              p.onChosen(name)
            }}
          >
            <Presence of={a.presence} />
            <span className="w-[14ch] shrink-0 truncate text-accent">{name}</span>
            <span className="truncate text-muted">{a.card.display.desc}</span>
          </div>
        )
      })}
    </div>
  )
}
