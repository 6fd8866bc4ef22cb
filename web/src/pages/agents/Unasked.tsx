import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must } from '../../api/client'
import { isRecord } from '../../lib/titles'
import { moment } from '../../lib/when'

/** Unasked lists what an agent changed that neither its request nor the ticket that this names does, the last first. */
export function Unasked({ agent }: { agent: string }) {
  const q = useQuery({ queryKey: ['contract', 'outside', agent], queryFn: () => must(api.GET('/api/agents/{id}/outside', { params: { path: { id: agent }, query: { limit: 10 } } })) })
  const all = q.data ?? []
  if (all.length === 0) return null
  return (
    <details className="mb-3">
      <summary className="text-muted">What it changed unasked</summary>
      {all.map((o) => (
        <p key={o.seq} className="my-1! flex flex-wrap gap-x-3 text-sm">
          <time dateTime={o.at} className="text-faint">{moment(o.at)}</time>
          <Link to="/runs/$id" params={{ id: o.run }}>asked for {o.named.join(', ')}</Link>
          <span>it changed {o.changed.map((c, i) => <span key={c}>{i > 0 && ', '}{isRecord(c) ? <Link to="/records/$id" params={{ id: c } as never}>{c}</Link> : <code>{c}</code>}</span>)}{o.beside && <span className="text-warn"> while another call wrote in the same folders: some of it may be that one’s</span>}</span>
        </p>
      ))}
    </details>
  )
}
