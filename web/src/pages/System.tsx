import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
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

/** Log shows the newest events, and verifies the chains. */
export function Log() {
  const [type, setType] = useState('')
  const q = useQuery({
    queryKey: ['log', type],
    queryFn: () => must(api.GET('/api/log', { params: { query: { newest: true, limit: 100, type: type || undefined } } })),
    placeholderData: keepPreviousData,
  })
  const verify = useMutation({ mutationFn: () => must(api.GET('/api/log/verify')) })
  const v = verify.data
  return (
    <section>
      <h2>Log</h2>
      <div className="row">
        <input aria-label="Type" placeholder="Type, or a namespace such as desk.*" value={type} onChange={(e) => setType(e.target.value)} />
        <button type="button" onClick={() => verify.mutate()} disabled={verify.isPending}>Verify</button>
        {v && ((v.findings ?? []).length === 0
          ? <span role="status" className="good">{v.events} events in {v.streams} streams verify.</span>
          : <span role="alert" className="bad">{(v.findings ?? []).map((f) => `${f.stream}: ${f.text}`).join(' ')}</span>)}
      </div>
      {verify.error && <p className="bad" role="alert">{verify.error.message}</p>}
      <State pending={q.isPending} error={q.error} empty={q.data?.events?.length === 0}>
        {(q.data?.events ?? []).map((e) => (
          <details key={e.seq}>
            <summary><code>{e.seq}</code> {e.type} <span className="muted">{e.from} · {e.stream} · {new Date(e.at).toLocaleTimeString()}</span></summary>
            <pre>{JSON.stringify(e.payload, null, 1)}</pre>
          </details>
        ))}
      </State>
    </section>
  )
}
