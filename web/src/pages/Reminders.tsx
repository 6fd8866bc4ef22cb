import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, must, type Schemas } from '../api/client'
import { useMayEdit } from '../lib/moment'
import { type Rec, useEdits, useRecords } from '../lib/records'
import { holds, isOnce, often, standing, timeOf, tomorrow } from '../lib/remind'
import { useRows } from '../lib/rows'
import { moment } from '../lib/when'
import { QuickAdd } from '../ui/QuickAdd'
import { Sources } from '../ui/Sources'
import { State } from '../ui/State'
import { Table } from '../ui/Table'
import { Whole } from '../ui/Whole'
import { EditRecord } from './records/EditRecord'
import { Preview } from './records/Preview'

type Reminder = Schemas['DeskReminderBody']

/** repeats are the ways in which a reminder recurs; a time that is chosen says on which day of a month. */
const repeats: { [name: string]: (at: Date) => Partial<Reminder> } = {
  once: () => ({}), daily: () => ({ intervalSeconds: 86_400 }), weekdays: () => ({ weekdays: true }), weekly: () => ({ intervalSeconds: 604_800 }), monthly: (at) => ({ monthDay: at.getDate() }),
}

/** New is the line in which a reminder is added: by a time, or by a condition. */
function New({ edits }: { edits: ReturnType<typeof useEdits<Reminder>> }) {
  const [message, setMessage] = useState('')
  const [when, setWhen] = useState('')
  const [repeat, setRepeat] = useState('once')
  const said = useMutation({
    mutationFn: () => must(api.POST('/api/reminders/read', { body: { every: when, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone } })),
    onSuccess: (often) => edits.add.mutate({ message, type: 'TIME_BASED', ...often }, { onSuccess: () => { setMessage(''); setWhen('') } }),
  })
  const add = () => {
    if (repeat === 'words') {
      said.mutate()
      return
    }
    const given = new Date(when)
    const at = Number.isNaN(given.getTime()) ? new Date(tomorrow(new Date())) : given
    const again = repeats[repeat]?.(at) ?? {}
    const body: Partial<Reminder> = repeat === 'condition'
      ? { message, type: 'CONDITION_BASED', condition: when }
      : { message, type: 'TIME_BASED', triggerAt: at.toISOString(), ...(Object.keys(again).length > 0 ? { recurring: true, ...again, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone } : {}) }
    edits.add.mutate(body, { onSuccess: () => { setMessage(''); setWhen('') } })
  }
  return (
    <QuickAdd label="New reminder" hint="What to be told" value={message} onChange={setMessage} busy={edits.add.isPending || said.isPending} error={said.error ?? edits.add.error} onAdd={add}>
      <select aria-label="How often" value={repeat} onChange={(e) => { setRepeat(e.target.value); setWhen('') }}>
        {Object.keys(repeats).map((r) => <option key={r}>{r}</option>)}
        <option value="words">in words</option>
        <option value="condition">when a filter holds</option>
      </select>
      {repeat === 'words' && <input aria-label="How often, in words" placeholder="every Friday at 16:00" required className="min-w-[20ch] flex-1" value={when} onChange={(e) => setWhen(e.target.value)} />}
      {repeat === 'words' ? null : repeat === 'condition'
        ? <input aria-label="Condition" placeholder='kind:ticket status:BLOCKED owner:"Joe"' className="min-w-[20ch] flex-1" value={when} onChange={(e) => setWhen(e.target.value)} />
        : <input aria-label="When; tomorrow morning if empty" type="datetime-local" value={when} onChange={(e) => setWhen(e.target.value)} />}
    </QuickAdd>
  )
}

/** Reminders lists what somebody wants to be told: what rang first, then what comes next. */
export function Reminders({ project }: { project: string }) {
  const navigate = useNavigate()
  const may = useMayEdit()
  const [editing, setEditing] = useState('')
  const list = useRecords<Reminder>(project, 'reminder', 'reminders')
  const edits = useEdits<Reminder>(project, 'reminder', 'reminders')
  const now = new Date()
  const all = edits.now(list.all).toSorted((a, b) => standing(a.body, now).rank - standing(b.body, now).rank || timeOf(a.body) - timeOf(b.body))
  const rang = all.filter((r) => standing(r.body, now).rank === 0).length
  const find = (id: string) => all.find((r) => r.id === id)
  const dismiss = (id: string) => {
    const of = find(id)
    if (of) edits.remove.mutate(of)
  }
  const later = (id: string) => {
    const of = find(id)
    if (of && isOnce(of.body)) edits.change(of, { triggerAt: tomorrow(new Date()), triggered: false })
  }
  const acknowledge = (id: string) => {
    const of = find(id)
    if (of?.body.lastTriggeredAt) edits.change(of, { acknowledgedAt: new Date().toISOString() })
  }
  const { at, row } = useRows(all.map((r) => r.id), {
    Enter: { does: 'open the reminder', act: (id) => void navigate({ to: '/records/$id', params: { id } } as never) },
    ...(may && { a: { does: 'acknowledge that it rang', act: acknowledge }, x: { does: 'dismiss it', act: dismiss }, s: { does: 'again tomorrow at nine', act: later }, e: { does: 'edit it', act: setEditing } }),
  })
  return (
    <Whole>
      <h2>Reminders <span className="text-muted" data-testid="total">{list.total}</span> {rang > 0 && <span className="text-warn">{rang} to look at</span>}</h2>
      {may && <New edits={edits} />}
      {edits.error && <p className="danger" role="alert">{edits.error.message}</p>}
      <State pending={list.isPending} error={list.error} empty={all.length === 0} hint="No reminders. Write above what you want to be told and when; a condition rings when a filter begins to hold.">
        <Table
          heads={['', 'When', 'What', { name: 'Repeats', from: 52 }, { name: 'Rang last', from: 64 }, '']}
          rows={all.map((r) => ({
            key: r.id, on: row(r.id),
            cells: may && r.id === editing ? { whole: <EditRecord kind="reminder" record={r} onClose={() => setEditing('')} /> } : cells(r, now, may ? { acknowledge: () => acknowledge(r.id), dismiss: () => dismiss(r.id), later: () => later(r.id) } : undefined),
          }))}
        />
        {list.hasNextPage && <button type="button" onClick={() => void list.fetchNextPage()}>More</button>}
      </State>
      {may && <p className="text-muted"><kbd>a</kbd> acknowledge <kbd>x</kbd> dismiss <kbd>s</kbd> again tomorrow at nine <kbd>e</kbd> edit <kbd>n</kbd> new</p>}
      <Preview id={at} />
    </Whole>
  )
}

function cells(r: Rec<Reminder>, now: Date, acts?: { acknowledge: () => void; dismiss: () => void; later: () => void }) {
  const b = r.body
  const { word, look } = standing(b, now)
  return [
    <span key="state" className={`whitespace-nowrap ${look}`}>{word}</span>,
    b.type === 'CONDITION_BASED' ? (holds(b.condition) ? <span key="when" title={b.condition}>{holds(b.condition)}</span> : <code key="when">{b.condition}</code>) : <span key="when" className="whitespace-nowrap">{moment(b.triggerAt)}</span>,
    <div key="what" className="min-w-[14ch] wrap-anywhere"><Link to="/records/$id" params={{ id: r.id }}>{b.message}</Link><Sources of={b.sources} /></div>,
    <span key="every" className="whitespace-nowrap text-muted">{b.recurring ? often(b) : ''}</span>,
    <span key="last" className="whitespace-nowrap text-muted">{b.lastTriggeredAt ? moment(b.lastTriggeredAt) : ''}</span>,
    acts && (
      <span key="do" className="flex flex-wrap gap-1">
        {word === 'rang' && b.lastTriggeredAt && <button type="button" className="px-2 py-0" aria-label={`Acknowledge ${b.message}`} onClick={acts.acknowledge}>Acknowledge</button>}
        <button type="button" className="px-2 py-0" aria-label={`Dismiss ${b.message}`} onClick={acts.dismiss}>Dismiss</button>
        {isOnce(b) && <button type="button" className="px-2 py-0" aria-label={`Remind of ${b.message} tomorrow`} onClick={acts.later}>Tomorrow</button>}
      </span>
    ),
  ]
}
