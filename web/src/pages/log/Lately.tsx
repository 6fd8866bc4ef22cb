import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, must, type Schemas } from '../../api/client'
import { moment } from '../../lib/when'
import { useWho } from '../../lib/who'
import { State } from '../../ui/State'
import { Table } from '../../ui/Table'

/** most is how many events are shown; the log has the rest. */
const most = 12

/**
 * Lately is what was recorded last of a namespace of events, the newest first: when, by whom, and what, as says puts it.
 * of is the question whose answers such events make stale.
 */
export function Lately(p: { name: string; of: string; space: string; says: (e: Schemas['Logged']) => ReactNode }) {
  const who = useWho()
  const type = `${p.space}.*`
  const q = useQuery({ queryKey: [p.of, 'lately', p.space], queryFn: () => must(api.GET('/api/log', { params: { query: { type, newest: true, limit: most } } })) })
  const events = q.data?.events ?? []
  return (
    <section aria-label={p.name}>
      <h3>{p.name} <Link to="/log" search={{ type } as never} className="ml-2 text-sm font-normal">all in the log</Link></h3>
      <State pending={q.isPending} error={q.error} empty={events.length === 0} hint="Nothing yet.">
        <Table heads={['When', 'What', 'Who']} rows={events.map((e) => ({ key: e.seq, cells: [moment(e.at), p.says(e), who(e.from)] }))} />
      </State>
    </section>
  )
}
