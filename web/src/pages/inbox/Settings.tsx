import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, must, type Schemas } from '../../api/client'
import { reasons } from '../../lib/inbox'
import { useTelling } from '../../lib/told'
import { Dialog } from '../../ui/Dialog'
import { Failed, State } from '../../ui/State'
import { toast } from '../../ui/toast'

type Preferences = Schemas['NotifyPreferences']
type Reason = NonNullable<Preferences['off']>[number]

const queryKey = ['notification', 'preferences']

/** zones are the time zones that the browser knows, its own first. */
const zones = (): string[] => [...new Set([Intl.DateTimeFormat().resolvedOptions().timeZone, 'UTC', ...Intl.supportedValuesOf('timeZone')])]

/** Settings says of what the person is told, where and when. */
export function Settings(p: { onClose: () => void }) {
  const q = useQuery({ queryKey, queryFn: () => must(api.GET('/api/me/notifications/preferences')) })
  return (
    <Dialog title="Notify me of" onClose={p.onClose}>
      <State pending={q.isPending} error={q.error}>{q.data && <Form of={q.data} onClose={p.onClose} />}</State>
    </Dialog>
  )
}

/** toggled is a list with something in it, or without it. */
const toggled = (list: Reason[] | null | undefined, of: Reason, on: boolean) => (on ? [...(list ?? []).filter((r) => r !== of), of] : (list ?? []).filter((r) => r !== of))

function Form(p: { of: Preferences; onClose: () => void }) {
  const queries = useQueryClient()
  const [now, setNow] = useState(p.of)
  const [from = '', to = ''] = (now.quiet ?? '').split('-')
  const quiet = (a: string, b: string) => setNow({ ...now, quiet: a || b ? `${a || '19:00'}-${b || '08:00'}` : '' })
  const save = useMutation({
    mutationFn: () => must(api.PUT('/api/me/notifications/preferences', { body: now })),
    onSuccess: (made) => {
      queries.setQueryData(queryKey, made)
      toast('Saved of what you are told', { undo: () => must(api.PUT('/api/me/notifications/preferences', { body: p.of })).then((was) => queries.setQueryData(queryKey, was)) })
      p.onClose()
    },
  })
  return (
    <form
      aria-label="Of what you are told" className="grid gap-4"
      onSubmit={(e) => {
        e.preventDefault()
        save.mutate()
      }}
    >
      <table>
        <thead><tr><th>Reason</th><th>On the page</th><th>In your chat</th></tr></thead>
        <tbody>
          {Object.entries(reasons).map(([reason, { name, sign, look }]) => {
            const of = reason as Reason
            const on = !(now.off ?? []).includes(of)
            return (
              <tr key={reason}>
                <td data-head="Reason"><span data-sign={sign} className={look}>{name}</span></td>
                <td data-head="On the page"><input type="checkbox" aria-label={`${name} on the page`} checked={on} onChange={(e) => setNow({ ...now, off: toggled(now.off, of, !e.target.checked) })} /></td>
                <td data-head="In your chat"><input type="checkbox" aria-label={`${name} in your chat`} disabled={!on} checked={on && (now.chat ?? []).includes(of)} onChange={(e) => setNow({ ...now, chat: toggled(now.chat, of, e.target.checked) })} /></td>
              </tr>
            )
          })}
        </tbody>
      </table>
      <div className="grid items-center gap-x-4 gap-y-2 sm:grid-cols-[16ch_minmax(0,1fr)]">
        <label htmlFor="digest">Together at</label>
        <span><input id="digest" type="time" value={now.digest ?? ''} onChange={(e) => setNow({ ...now, digest: e.target.value })} /> <span className="text-muted">in your chat; approvals and mentions go at once</span></span>
        <span>Quiet hours</span>
        <span className="flex items-center gap-2"><input type="time" aria-label="Quiet from" value={from} onChange={(e) => quiet(e.target.value, to)} /> to <input type="time" aria-label="Quiet until" value={to} onChange={(e) => quiet(from, e.target.value)} /></span>
        <label htmlFor="zone">Time zone</label>
        <select id="zone" value={now.zone ?? ''} onChange={(e) => setNow({ ...now, zone: e.target.value })}>
          <option value="">UTC</option>
          {zones().filter((z) => z !== 'UTC').map((z) => <option key={z}>{z}</option>)}
        </select>
        <span>This browser</span>
        <Browser />
      </div>
      <div className="flex gap-2">
        <button type="submit" className="primary" disabled={save.isPending}>Save</button>
        <button type="button" onClick={p.onClose}>Cancel</button>
      </div>
      <Failed of={save.error} />
    </form>
  )
}

/** Browser has this browser tell of what is new while the page is not looked at; it asks when the person presses the button. */
function Browser() {
  const [state, set] = useTelling()
  if (state === 'cannot') return <span className="text-muted">has no notifications</span>
  if (state === 'forbidden') return <span className="text-muted">forbids notifications from this page; allow them in its settings</span>
  return <span><button type="button" aria-pressed={state === 'on'} onClick={() => void set(state !== 'on')}>{state === 'on' ? 'Tells you of what is new' : 'Tell me of what is new'}</button></span>
}
