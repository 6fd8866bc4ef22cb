import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, must } from '../api/client'
import { State } from '../ui/State'

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
