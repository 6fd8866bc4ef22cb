import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must, type Schemas } from '../../api/client'
import { useWho } from '../../lib/who'
import { State } from '../../ui/State'

/** record finds the ids of records in a payload that says which it is about. */
const record = (m: Schemas['EventMessage']) => (m.payload as { id?: unknown } | null)?.id

/** Event shows one event as it is recorded: who, what, where in the chain, and what it leads to. */
export function Event({ seq }: { seq: number }) {
  const who = useWho()
  const q = useQuery({ queryKey: ['event', seq], queryFn: () => must(api.GET('/api/log/{seq}', { params: { path: { seq } } })), staleTime: Number.POSITIVE_INFINITY })
  const e = q.data
  const id = e && record(e.message)
  return (
    <State pending={q.isPending} error={q.error}>
      {e && (
        <div className="text-sm" data-testid="event">
          <dl className="m-0">
            <div><dt>type</dt><dd>{e.message.type} <span className="text-muted">{e.message.payload_type}</span></dd></div>
            <div><dt>from</dt><dd>{who(e.message.from.agent_id)} <span className="text-muted">{e.message.from.agent_id}</span></dd></div>
            <div><dt>recorded</dt><dd>{e.at}</dd></div>
            <div><dt>stream</dt><dd><Link to="/log" search={{ scope: e.stream } as never}>{e.stream}</Link> <span className="text-muted">number {e.stream_seq}</span></dd></div>
            {e.message.run_id && <div><dt>run</dt><dd>{e.message.run_id.startsWith('run_') ? <Link to="/runs/$id" params={{ id: e.message.run_id }}>{e.message.run_id}</Link> : e.message.run_id}</dd></div>}
            {typeof id === 'string' && e.message.type.startsWith('desk.') && <div><dt>record</dt><dd><Link to="/records/$id" params={{ id }}>{id}</Link></dd></div>}
            <div><dt>message</dt><dd>{e.message.id}</dd></div>
            <div><dt>payload's digest</dt><dd>{e.payload_digest}</dd></div>
            <div><dt>hash before it</dt><dd>{e.prev_hash}</dd></div>
            <div><dt>hash</dt><dd>{e.hash}</dd></div>
          </dl>
          {e.erased ? <p className="text-warn">The payload was erased. Its digest and the chain stand.</p> : <pre className="text-text!" data-testid="payload">{JSON.stringify(e.message.payload, null, 2)}</pre>}
        </div>
      )}
    </State>
  )
}
