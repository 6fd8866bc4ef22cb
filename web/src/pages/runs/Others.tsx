import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must, type Schemas } from '../../api/client'
import { took, usd } from '../../lib/took'
import { recent } from '../../lib/when'
import { Status } from '../../ui/Status'
import { Table } from '../../ui/Table'

const most = 8

/** Others lists the runs before and after a run: those of its conversation, or the last of its kind, with what each took and cost. */
export function Others({ of: r }: { of: Schemas['TraceOut']['run'] }) {
  const talk = r.kind === 'chat'
  const q = useQuery({ queryKey: ['run', 'others', talk ? r.thread : r.kind], queryFn: () => must(api.GET('/api/runs', { params: { query: { ...(talk ? { thread: r.thread } : { kind: r.kind }), limit: most + 1 } } })) })
  const others = (q.data ?? []).filter((o) => o.id !== r.id).slice(0, most)
  if (others.length === 0) return null
  return (
    <section aria-label="Other runs">
      <h3>{talk ? 'Other runs of the conversation' : 'Other runs of the kind'}</h3>
      <Table heads={['State', 'What', 'Began', 'Took', 'USD']} rows={others.map((o) => ({ key: o.id, cells: [<Status key="state" of={o.state} />, <Link key="what" to="/runs/$id" params={{ id: o.id }}>{o.title}</Link>, recent(o.created_at), took(o.ms), usd(o.spend.cost_usd)] }))} />
    </section>
  )
}
