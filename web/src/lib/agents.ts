import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, must, type Schemas } from '../api/client'

export type Agent = Schemas['AgentOut']

/** agentName is an agent's name, by which it is spoken to. */
export const agentName = (a: { card: { agent_id: string } }) => a.card.agent_id.replace('agent:', '')

/** agentsQuery asks for the agents and what each is doing. */
export const agentsQuery = queryOptions({ queryKey: ['agent'], queryFn: () => must(api.GET('/api/agents')) })

/** useAgents lists the agents, with what each is doing. */
export function useAgents() {
  return useQuery(agentsQuery)
}

const order = ['working', 'waiting', 'idle', 'unreachable', 'disabled']
const place = (a: Agent) => order.indexOf(a.presence) * 2 + (a.kind === 'specialist' ? 0 : 1)

/** atWork sorts agents: who is at work first, who cannot be spoken to last; those who do the work before those who hand it on. */
export function atWork(agents: Agent[]): Agent[] {
  return [...agents].sort((a, b) => place(a) - place(b))
}
