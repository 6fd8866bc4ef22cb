import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must, type Schemas } from '../../api/client'
import { moment, recent } from '../../lib/when'
import { State } from '../../ui/State'
import { Table } from '../../ui/Table'

type Delivery = Schemas['ChannelDelivery']

/** state says where a delivery stands. */
function state(d: Delivery): string {
  if (d.state === 'queued' && d.next) return `again at ${recent(d.next)}`
  return d.parts && d.parts > 1 && d.state !== 'sent' && d.state !== 'delivered' ? `${d.state}, ${d.part} of ${d.parts}` : d.state
}

/** Deliveries shows what was sent to chats and what waits, the newest first. */
export function Deliveries({ channel }: { channel: string }) {
  const queries = useQueryClient()
  const q = useQuery({ queryKey: ['channel', 'deliveries', channel], queryFn: () => must(api.GET('/api/deliveries', { params: { query: { channel, limit: 50 } } })) })
  const again = useMutation({
    mutationFn: (id: string) => must(api.POST('/api/deliveries/{id}/again', { params: { path: { id } } })),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['channel'] }),
  })
  return (
    <>
      <h3>Deliveries {channel && <span className="muted">of {channel}</span>}</h3>
      {again.error && <p className="danger" role="alert">{again.error.message}</p>}
      <State pending={q.isPending} error={q.error} empty={(q.data ?? []).length === 0} hint="Nothing was sent yet.">
        <Table
          heads={['When', 'Channel', 'Chat', 'State', 'Attempts', '']}
          rows={(q.data ?? []).map((d) => ({
            key: d.id,
            cells: [
              moment(d.created_at), d.channel,
              d.run ? <Link key="chat" to="/chat" search={{ thread: d.thread } as never}>{d.chat}</Link> : d.chat,
              <span key="state" className={d.state === 'failed' ? 'text-danger' : d.state === 'sent' || d.state === 'delivered' ? '' : 'text-warn'}>{state(d)}{d.seen && ', read'}{d.why && <p className="muted">{d.why}{d.unknown && '; it may have arrived'}</p>}</span>,
              d.attempts,
              d.state === 'failed' && <button key="again" type="button" className="px-2 py-0" aria-label={`Send again to ${d.chat}`} disabled={again.isPending} onClick={() => again.mutate(d.id)}>Send again</button>,
            ],
          }))}
        />
      </State>
    </>
  )
}
