import { useState } from 'react'
import { agentName, atWork, useAgents } from '../../lib/agents'
import { useMay } from '../../lib/me'
import { useWord } from '../../lib/project'
import { useRows } from '../../lib/rows'
import { State } from '../../ui/State'
import { ViewHead } from '../../ui/ViewHead'
import { Whole } from '../../ui/Whole'
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
    <Whole>
    <div className="@container">
      <ViewHead title="Agents" total={all.length || ''} primary={may && { name: 'New agent', act: () => setMaking(true) }}>
        <span className="text-muted">{working > 0 && <span className="text-live">{working} working </span>}{waiting > 0 && <span className="text-warn">{waiting} waiting</span>}</span>
      </ViewHead>
      <State pending={q.isPending} error={q.error} empty={all.length === 0} hint="There are no agents.">
        {agent !== '' && <p className="danger" role="alert">There is no agent {agent}.</p>}
        <div className="grid grid-cols-1 gap-2 @2xl:grid-cols-2 @6xl:grid-cols-3">
          {all.map((a) => <AgentCard key={agentName(a)} of={a} place={row(agentName(a))} onOpen={() => setAgent(agentName(a))} />)}
        </div>
      </State>
    </div>
    </Whole>
  )
}
