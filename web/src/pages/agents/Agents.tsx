import { useState } from 'react'
import { agentName, atWork, useAgents } from '../../lib/agents'
import { useMay } from '../../lib/me'
import { useKeys } from '../../lib/pane'
import { useWord } from '../../lib/project'
import { useRows } from '../../lib/rows'
import { State } from '../../ui/State'
import { AgentCard } from './AgentCard'
import { Edit } from './Edit'
import { New } from './New'

/** Agents shows who works here without being a person, and what each is doing; one is opened, changed and tried. */
export function Agents() {
  const [agent, setAgent] = useWord('agent')
  const [making, setMaking] = useState(false)
  const may = useMay('admin')
  const q = useAgents()
  const all = atWork(q.data ?? [])
  const open = all.find((a) => agentName(a) === agent)
  const { row } = useRows(open || making ? [] : all.map(agentName), { Enter: { does: 'open the agent', act: setAgent } })
  useKeys(may && !open && !making ? [{ key: 'n', does: 'make an agent', act: () => setMaking(true) }] : [])
  if (open) return <Edit key={agent} agent={open} onBack={() => setAgent('')} />
  if (making) {
    return (
      <New
        onLeave={() => setMaking(false)}
        onMade={(name) => {
          setMaking(false)
          setAgent(name)
        }}
      />
    )
  }
  const working = all.filter((a) => a.presence === 'working').length
  const waiting = all.filter((a) => a.presence === 'waiting').length
  return (
    <section className="@container">
      <div className="mb-2 flex flex-wrap items-baseline gap-3">
        <h2 className="m-0!">Agents <span className="muted" data-testid="total">{all.length || ''}</span></h2>
        <span className="flex-1 text-muted">{working > 0 && <span className="text-live">{working} working </span>}{waiting > 0 && <span className="text-warn">{waiting} waiting</span>}</span>
        {may && <button type="button" className="px-2 py-0.5" onClick={() => setMaking(true)}>New agent <kbd>n</kbd></button>}
      </div>
      <State pending={q.isPending} error={q.error} empty={all.length === 0} hint="There are no agents.">
        {agent !== '' && <p className="danger" role="alert">There is no agent {agent}.</p>}
        <div className="grid grid-cols-1 gap-2 @2xl:grid-cols-2 @6xl:grid-cols-3">
          {all.map((a) => <AgentCard key={agentName(a)} of={a} place={row(agentName(a))} onOpen={() => setAgent(agentName(a))} />)}
        </div>
      </State>
    </section>
  )
}
