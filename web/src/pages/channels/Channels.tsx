import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, done, must, type Schemas } from '../../api/client'
import { includes, useMe } from '../../lib/me'
import { recent } from '../../lib/when'
import { State } from '../../ui/State'
import { Table } from '../../ui/Table'
import { ViewHead } from '../../ui/ViewHead'
import { Whole } from '../../ui/Whole'
import { Deliveries } from './Deliveries'
import { PairingRequests } from './PairingRequests'
import { Reached } from './Reached'
import { NewChannel } from './NewChannel'

type Status = Schemas['ChannelStatus']

/** looks are how the standing of a channel is drawn. */
const looks: { [state: string]: string } = { up: 'text-up', broken: 'text-danger', connecting: 'text-warn', unlinked: 'text-warn', off: 'muted', elsewhere: 'muted' }

/** how says in words how a channel does. */
const how = (s: Status) => (s.state === 'elsewhere' ? 'another daemon works it' : s.since ? `${s.state} since ${recent(s.since)}` : s.state)

/** Code draws what the platform's app is to be shown, as it was at a time; it changes every few seconds. */
const Code = ({ name, at }: { name: string; at: number }) => (
  <p className="muted">
    <img src={`/api/channels/${encodeURIComponent(name)}/link.png?at=${at}`} alt={`The code that links ${name}`} className="border border-line" />
    On the phone: Settings, Linked devices, Link a device. A terminal draws the code with <code>chela channel link {name}</code>.
  </p>
)

/** Channels shows the chat platforms that conversations are held on, who asks to be let in there, and what was sent. */
export function Channels() {
  const queries = useQueryClient()
  const me = useMe()
  const admin = includes(me?.role, 'admin')
  const [of, setOf] = useState('')
  const [asked, setAsked] = useState(false)
  const q = useQuery({ queryKey: ['channel'], queryFn: () => must(api.GET('/api/channels')), refetchInterval: 5_000 }) // how a connection does is in no event
  const again = { onSettled: () => void queries.invalidateQueries({ queryKey: ['channel'] }) }
  const test = useMutation({ mutationFn: (name: string) => must(api.POST('/api/channels/{name}/test', { params: { path: { name } } })), ...again })
  const remove = useMutation({ mutationFn: (name: string) => done(api.DELETE('/api/channels/{name}', { params: { path: { name } } })), ...again })
  const wrong = test.error ?? remove.error
  const adding = admin && q.isSuccess && (asked || q.data?.length === 0)
  return (
    <Whole>
      <ViewHead title="Channels" primary={admin && { name: 'Add a channel', open: adding, act: () => setAsked(true) }} />
      <State pending={q.isPending} error={null}>{adding && <NewChannel {...((q.data ?? []).length > 0 && { onClose: () => setAsked(false) })} />}</State>
      {wrong && <p className="danger" role="alert">{wrong.message}</p>}
      {test.isSuccess && <p role="status">The platform answers: the bot is {test.data.name || test.data.id}.</p>}
      <State pending={q.isPending} error={q.error} empty={q.data?.length === 0} hint={admin ? 'No chat platform is connected. Add one above.' : 'No chat platform is connected. An admin can add one.'}>
        <Table
          heads={['Name', 'Platform', 'Bot', 'State', 'Waiting', 'Failed', '']}
          rows={(q.data ?? []).map((s) => ({
            key: s.name,
            cells: [
              <button key="name" type="button" className="plain" aria-pressed={of === s.name} title="Show what was sent" onClick={() => setOf(of === s.name ? '' : s.name)}>{s.name}</button>,
              s.kind, s.account?.name ?? '',
              <span key="state"><span className={looks[s.state]}>{how(s)}</span>{s.link && <Code name={s.name} at={q.dataUpdatedAt} />}{s.problem && <p className="danger">{s.problem}{s.tries ? ` (${s.tries} tries)` : ''}</p>}</span>,
              s.waiting || '', s.failed ? <span key="failed" className="text-danger">{s.failed}</span> : '',
              admin && (
                <span key="do" className="flex gap-1">
                  <button type="button" className="px-2 py-0" aria-label={`Test ${s.name}`} disabled={test.isPending} onClick={() => test.mutate(s.name)}>Test</button>
                  <button type="button" className="px-2 py-0" aria-label={`Remove ${s.name}`} disabled={remove.isPending} onClick={() => confirm(`Forget ${s.name} and its secrets? Its conversations stay.`) && remove.mutate(s.name)}>Remove</button>
                </span>
              ),
            ],
          }))}
        />
      </State>
      {includes(me?.role, 'owner') && <PairingRequests />}
      <Deliveries channel={of} />
      <Reached />
    </Whole>
  )
}
