import type { Agent } from '../../lib/agents'
import { Presence } from '../../ui/Presence'

/** Option is a name that can be put into a message: of an agent after @, of a command after /. */
export type Option = { name: string; help: string; presence?: Agent['presence'] }

/** Names are the names that fit what is being written. */
export function Names(p: { label: string; of: Option[]; at: number; onChosen: (name: string) => void }) {
  return (
    <div id="names" role="listbox" aria-label={p.label} className="absolute inset-x-0 bottom-full z-10 max-h-60 overflow-y-auto border border-accent bg-panel py-1">
      {p.of.map(({ name, help, presence }, i) => (
        <div
          key={name} id={`name-${name}`} role="option" aria-selected={i === p.at} tabIndex={-1}
          className={`flex cursor-pointer gap-3 px-2 py-0.5 ${i === p.at ? 'bg-selected' : ''}`}
          onMouseDown={(e) => {
            e.preventDefault()
            p.onChosen(name)
          }}
        >
          {presence && <Presence of={presence} />}
          <span className="w-[14ch] shrink-0 truncate text-agent">{name}</span>
          <span className="truncate text-muted">{help}</span>
        </div>
      ))}
    </div>
  )
}
