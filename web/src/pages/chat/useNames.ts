import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import { api, must } from '../../api/client'
import { agentName, atWork, useAgents } from '../../lib/agents'
import { commanding, naming } from '../../lib/talk'
import type { Option } from './Names'

type Part = { of: 'agent' | 'command'; text: string }

/** useNames completes what is being written: the name of an agent after @, that of a command after a / at the beginning. */
export function useNames(onChosen: (name: string, part: string) => void) {
  const [part, setPart] = useState<Part>()
  const [chosen, setChosen] = useState(0)
  const agents = atWork((useAgents().data ?? []).filter((a) => a.enabled))
  const commands = useQuery({ queryKey: ['person', 'commands'], staleTime: Number.POSITIVE_INFINITY, enabled: part?.of === 'command', queryFn: () => must(api.GET('/api/commands')) }).data ?? []
  const all: Option[] = part?.of === 'command'
    ? commands.map((c) => ({ name: c.name, help: c.args ? `${c.args} ${c.help}` : c.help }))
    : agents.map((a) => ({ name: agentName(a), help: a.card.display.desc ?? '', presence: a.presence }))
  const fitting = part === undefined ? [] : all.filter((o) => o.name.startsWith(part.text)).slice(0, part.of === 'agent' ? 8 : all.length)
  const at = Math.min(chosen, fitting.length - 1)
  const pick = fitting[at]
  const close = () => setPart(undefined)
  const choose = (name: string) => {
    onChosen(name, part?.text ?? '')
    close()
  }
  return {
    fitting, at, choose, close,
    label: part?.of === 'command' ? 'Commands' : 'Agents',
    names: agents.map(agentName),
    active: pick ? `name-${pick.name}` : undefined,
    /** look finds what is being named before the cursor. */
    look: (text: string, cursor: number) => {
      const command = commanding(text, cursor)
      const agent = naming(text, cursor)
      setPart(command !== undefined ? { of: 'command', text: command } : agent !== undefined ? { of: 'agent', text: agent } : undefined)
      setChosen(0)
    },
    /** key takes a key when there is something to choose and says whether it did; Enter after a whole command sends it. */
    key: (e: KeyboardEvent): boolean => {
      if (!pick) return false
      if (e.key === 'ArrowDown' || e.key === 'ArrowUp') setChosen((at + (e.key === 'ArrowDown' ? 1 : fitting.length - 1)) % fitting.length)
      else if (e.key === 'Tab' || (e.key === 'Enter' && !(part?.of === 'command' && pick.name === part.text))) choose(pick.name)
      else if (e.key === 'Escape') {
        e.stopPropagation()
        close()
        return true
      } else return false
      e.preventDefault()
      return true
    },
  }
}
