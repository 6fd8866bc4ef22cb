import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, must, type Schemas } from '../api/client'
import { count } from '../lib/count'
import { Sources } from '../ui/Sources'
import { State } from '../ui/State'
import { Table } from '../ui/Table'

const all = { limit: 200 }

/** Plan shows the phases in their order, the milestones by day, and what is to be checked. */
export function Plan({ project }: { project: string }) {
  const path = { project }
  const phases = useQuery({ queryKey: ['phase', project], queryFn: () => must(api.GET('/api/projects/{project}/phases', { params: { path, query: all } })) })
  const milestones = useQuery({ queryKey: ['milestone', project], queryFn: () => must(api.GET('/api/projects/{project}/milestones', { params: { path, query: all } })) })
  const lists = useQuery({ queryKey: ['checklist', project], queryFn: () => must(api.GET('/api/projects/{project}/checklists', { params: { path, query: all } })) })
  const inOrder = (phases.data?.items ?? []).toSorted((a, b) => (a.body.sortOrder ?? 0) - (b.body.sortOrder ?? 0))
  const byDay = (milestones.data?.items ?? []).toSorted((a, b) => (a.body.targetDate || '9').localeCompare(b.body.targetDate || '9'))
  return (
    <section>
      <h2>Plan</h2>
      <h3>Phases</h3>
      <State pending={phases.isPending} error={phases.error} empty={inOrder.length === 0} hint="No phases yet. Ask the planner in Chat, or POST them to the API.">
        <Table
          heads={['Order', 'Phase', 'Status', 'From', 'To', 'To begin', 'To end']}
          rows={inOrder.map((r) => ({
            key: r.id,
            cells: [
              r.body.sortOrder, <Link key="name" to="/records/$id" params={{ id: r.id }}>{r.body.name}</Link>, r.body.status, r.body.startDate, r.body.endDate,
              r.body.entryCriteria?.join('; '), r.body.exitCriteria?.join('; '),
            ],
          }))}
        />
      </State>
      <h3>Milestones</h3>
      <State pending={milestones.isPending} error={milestones.error} empty={byDay.length === 0} hint="No milestones yet.">
        <Table
          heads={['Day', 'Milestone', 'Status', 'Reached', 'Owner', 'Tickets']}
          rows={byDay.map((r) => ({
            key: r.id,
            cells: [
              r.body.targetDate, <Link key="name" to="/records/$id" params={{ id: r.id }}>{r.body.name}</Link>, r.body.status, r.body.actualDate, r.body.owner,
              r.body.ticketIds?.length,
            ],
          }))}
        />
      </State>
      <h3>Checklists</h3>
      <State pending={lists.isPending} error={lists.error} empty={lists.data?.items?.length === 0} hint="No checklists yet. Ask the checklist keeper in Chat.">
        {(lists.data?.items ?? []).map((r) => <Checklist key={r.id} project={project} record={r} />)}
      </State>
    </section>
  )
}

/** Checklist shows a list whose items can be ticked. */
function Checklist(p: { project: string; record: Schemas['RecordOfChecklistBody'] }) {
  const queries = useQueryClient()
  const b = p.record.body
  const items = b.items ?? []
  const [ticked, setTicked] = useState<number>() // shown at once, while the daemon records it
  const tick = useMutation({
    mutationFn: (n: number) =>
      must(api.PATCH('/api/projects/{project}/checklists/{id}', {
        params: { path: { project: p.project, id: p.record.id } },
        body: { items: items.map((x, i) => (i === n ? { ...x, checked: !x.checked } : x)) } as Schemas['DeskChecklistBody'],
      })),
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ['checklist'] })
      setTicked(undefined)
    },
  })
  return (
    <article className="card">
      <strong>{b.name}</strong> <span className="muted">{b.status} · {items.filter((x) => x.checked).length} of {count(items.length, 'item')}</span>
      {tick.error && <p className="bad" role="alert">{tick.error.message}</p>}
      <ul className="items">
        {items.map((x, i) => (
          <li key={x.itemId ?? i}>
            <label>
              <input type="checkbox" checked={(x.checked ?? false) !== (ticked === i)} disabled={ticked !== undefined} onChange={() => { setTicked(i); tick.mutate(i) }} /> {x.text}{' '}
              <span className="muted">{x.assignee} {x.notes}</span>
            </label>
          </li>
        ))}
      </ul>
      <Sources of={b.sources} />
    </article>
  )
}

/** Notes shows ideas, reminders, links and reconciliations. */
export function Notes({ project }: { project: string }) {
  const path = { project }
  const queries = useQueryClient()
  const ideas = useQuery({ queryKey: ['idea', project], queryFn: () => must(api.GET('/api/projects/{project}/ideas', { params: { path, query: { ...all, newest: true } } })) })
  const reminders = useQuery({ queryKey: ['reminder', project], queryFn: () => must(api.GET('/api/projects/{project}/reminders', { params: { path, query: all } })) })
  const links = useQuery({ queryKey: ['link', project], queryFn: () => must(api.GET('/api/projects/{project}/links', { params: { path, query: all } })) })
  const reconciliations = useQuery({ queryKey: ['reconciliation', project], queryFn: () => must(api.GET('/api/projects/{project}/reconciliations', { params: { path, query: all } })) })
  const promote = useMutation({
    mutationFn: (id: string) => must(api.POST('/api/projects/{project}/ideas/{id}/promote', { params: { path: { project, id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['idea'] }),
  })
  return (
    <section>
      <h2>Notes</h2>
      <h3>Ideas</h3>
      {promote.error && <p className="bad" role="alert">{promote.error.message}</p>}
      <State pending={ideas.isPending} error={ideas.error} empty={ideas.data?.items?.length === 0} hint="No ideas yet.">
        {(ideas.data?.items ?? []).map((r) => (
          <article key={r.id} className="card">
            <strong>{r.body.title}</strong> <span className="muted">{r.body.status} {r.body.tags?.join(', ')}</span>
            {r.body.content && <p>{r.body.content}</p>}
            {r.body.promotedToTicketId
              ? <Link to="/records/$id" params={{ id: r.body.promotedToTicketId }} className="cite">ticket</Link>
              : <button type="button" disabled={promote.isPending} onClick={() => promote.mutate(r.id)}>Make a ticket</button>}
            <Sources of={r.body.sources} />
          </article>
        ))}
      </State>
      <h3>Reminders</h3>
      <State pending={reminders.isPending} error={reminders.error} empty={reminders.data?.items?.length === 0} hint="No reminders yet.">
        <Table
          heads={['When', 'What', 'Every', 'Triggered']}
          rows={(reminders.data?.items ?? []).map((r) => ({
            key: r.id,
            cells: [
              r.body.triggerAt || r.body.condition, <Link key="what" to="/records/$id" params={{ id: r.id }}>{r.body.message}</Link>,
              r.body.recurring ? `${r.body.intervalSeconds} s` : '', r.body.lastTriggeredAt ? new Date(r.body.lastTriggeredAt).toLocaleString() : '',
            ],
          }))}
        />
      </State>
      <h3>Links</h3>
      <State pending={links.isPending} error={links.error} empty={links.data?.items?.length === 0} hint="No links yet.">
        {(links.data?.items ?? []).map((r) => (
          <p key={r.id}><a href={r.body.url} target="_blank" rel="noreferrer noopener">{r.body.title}</a> <span className="muted">{r.body.category} {r.body.description}</span></p>
        ))}
      </State>
      <h3>Reconciliations</h3>
      <State pending={reconciliations.isPending} error={reconciliations.error} empty={reconciliations.data?.items?.length === 0} hint="No reconciliations yet.">
        {(reconciliations.data?.items ?? []).map((r) => (
          <p key={r.id}><Link to="/records/$id" params={{ id: r.id }}>{r.body.sourceType || 'A source'}</Link> <span className="muted">{r.body.status} · {count(r.body.mappings?.length, 'row')}, {count(r.body.conflicts?.length, 'conflict')}</span></p>
        ))}
      </State>
    </section>
  )
}
