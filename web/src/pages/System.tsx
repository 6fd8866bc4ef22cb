import { useQuery } from '@tanstack/react-query'
import { api, must } from '../api/client'
import { State } from '../ui/State'
import { Table } from '../ui/Table'

/** Agents lists the members of the organization that are agents. */
export function Agents() {
  const q = useQuery({ queryKey: ['agent'], queryFn: () => must(api.GET('/api/agents')) })
  return (
    <section>
      <h2>Agents</h2>
      <State pending={q.isPending} error={q.error}>
        <Table
          heads={['Agent', 'Kind', 'What it does', 'Capabilities', 'Tools']}
          rows={(q.data ?? []).map((a) => ({
            key: a.card.agent_id,
            cells: [a.card.display.name, a.kind, a.card.display.desc, (a.card.capabilities ?? []).map((c) => c.id).join(', '), a.tools?.length ?? 0],
          }))}
        />
      </State>
    </section>
  )
}
