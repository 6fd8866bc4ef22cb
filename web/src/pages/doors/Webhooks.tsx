import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { api, done, must } from '../../api/client'
import { moment } from '../../lib/when'
import { State } from '../../ui/State'
import { Table } from '../../ui/Table'

const words = (s: string) => s.split(/[\s,]+/).filter(Boolean)

/** Webhooks lists the addresses that are told of events, how far each was told and what it did not take. */
export function Webhooks() {
  const queries = useQueryClient()
  const q = useQuery({ queryKey: ['webhook'], queryFn: () => must(api.GET('/api/webhooks')) })
  const failures = useQuery({ queryKey: ['webhook', 'failures'], queryFn: () => must(api.GET('/api/webhooks/failures')) })
  const stale = { onSettled: () => queries.invalidateQueries({ queryKey: ['webhook'] }) }
  const add = useMutation({ mutationFn: (body: { name: string; url: string; events: string[] }) => must(api.POST('/api/webhooks', { body })), ...stale })
  const remove = useMutation({ mutationFn: (id: string) => done(api.DELETE('/api/webhooks/{id}', { params: { path: { id } } })), ...stale })
  const test = useMutation({ mutationFn: (id: string) => must(api.POST('/api/webhooks/{id}/test', { params: { path: { id } } })), ...stale })
  const again = useMutation({ mutationFn: (id: string) => must(api.POST('/api/webhooks/failures/{id}/again', { params: { path: { id } } })), ...stale })
  const wrong = add.error ?? remove.error ?? test.error ?? again.error
  return (
    <>
      <h3>Webhooks</h3>
      {wrong && <p className="danger" role="alert">{wrong.message}</p>}
      {test.data && <p role="status">{test.data.taken ? 'The test was taken.' : `The test was not taken: ${test.data.why}`}</p>}
      <State pending={q.isPending} error={q.error} empty={q.data?.length === 0} hint="No system outside is told of events. Add an address below.">
        <Table
          heads={['Who', 'Address', 'Events', 'State', '']}
          rows={(q.data ?? []).map((w) => ({
            key: w.id,
            cells: [
              w.name, <span key="url" className="wrap-anywhere">{w.url}</span>, (w.events ?? []).join(', '),
              w.off ? <span key="off" className="text-warn">off{w.why && `: ${w.why}`}</span> : w.problem ? <span key="bad" className="danger">{w.problem} Tried {w.attempts} times{w.nextAt && `, again ${moment(w.nextAt)}`}.</span> : 'told of everything',
              <span key="do" className="flex gap-2">
                <button type="button" className="px-2 py-0" disabled={test.isPending} aria-label={`Test the webhook ${w.name}`} onClick={() => test.mutate(w.id)}>Test</button>
                <button type="button" className="px-2 py-0" disabled={remove.isPending} aria-label={`Remove the webhook ${w.name}`} onClick={() => confirm(`Remove the webhook “${w.name}”? Nothing more is sent to ${w.url}.`) && remove.mutate(w.id)}>Remove</button>
              </span>,
            ],
          }))}
        />
      </State>
      <Add busy={add.isPending} onAdd={(b) => add.mutate(b)} />
      {add.data && (
        <div className="card" role="status">
          <p>The secret by which the messages to “{add.data.webhook.name}” are signed. It is shown this once:</p>
          <p className="wrap-anywhere"><code>{add.data.secret}</code></p>
          <button type="button" className="px-2 py-0" onClick={() => add.reset()}>Hide it</button>
        </div>
      )}
      {(failures.data?.length ?? 0) > 0 && (
        <>
          <h4>What was not taken in a day</h4>
          <Table
            heads={['Event', 'Type', 'Why', 'When', '']}
            rows={(failures.data ?? []).map((f) => ({
              key: f.id,
              cells: [
                f.seq, f.type, f.why, moment(f.at),
                f.sentAt ? `sent ${moment(f.sentAt)}` : <button key="again" type="button" className="px-2 py-0" disabled={again.isPending} onClick={() => again.mutate(f.id)}>Send again</button>,
              ],
            }))}
          />
        </>
      )}
    </>
  )
}

/** Add is the form of a new webhook. */
function Add(p: { busy: boolean; onAdd: (b: { name: string; url: string; events: string[] }) => void }) {
  const [f, setF] = useState({ name: '', url: '', events: 'run.finished' })
  const send = (e: FormEvent) => {
    e.preventDefault()
    p.onAdd({ name: f.name.trim(), url: f.url.trim(), events: words(f.events) })
  }
  return (
    <form className="row" aria-label="New webhook" onSubmit={send}>
      <input aria-label="What listens there" placeholder="What listens there" required value={f.name} onChange={(e) => setF({ ...f, name: e.target.value })} />
      <input aria-label="Address of the webhook" type="url" placeholder="https://ci.example.com/chela" required className="grow" value={f.url} onChange={(e) => setF({ ...f, url: e.target.value })} />
      <input aria-label="Events" placeholder="run.finished, desk.ticket.*" required className="grow" value={f.events} onChange={(e) => setF({ ...f, events: e.target.value })} />
      <button type="submit" disabled={p.busy}>Add a webhook</button>
    </form>
  )
}
