import { type QueryClient, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { count } from '../../lib/count'
import { useConversations } from '../../lib/conversations'
import { failedQuery, lately } from '../../lib/failed'
import { inboxQuery, useInbox, useSettle } from '../../lib/inbox'
import { useMoment } from '../../lib/moment'
import { useKeys, usePane } from '../../lib/pane'
import { useRows } from '../../lib/rows'
import { choices, sinceOf, startOf, useSince } from '../../lib/since'
import { moment } from '../../lib/when'
import { personsQuery } from '../../lib/who'
import { Menu } from '../../ui/Menu'
import { State } from '../../ui/State'
import { toast } from '../../ui/toast'
import { type Given, useAnswer } from '../approvals/answer'
import { type Day, pendingQuery, todayQuery } from './data'
import { Needs } from './Needs'
import { effectOf, type Need, needsOf, saidOf } from './need'
import { Changed } from './News'
import { Slipping } from './Slipping'
import { Tiles } from './Tiles'
import { fullest, Week } from './Week'

/** askFirst asks what Today shows now. */
export const askFirst = (queries: QueryClient, project: string) => {
  const { choice, look } = startOf(project)
  return Promise.all([queries.prefetchQuery(pendingQuery), queries.prefetchQuery(failedQuery), queries.prefetchQuery(inboxQuery), queries.prefetchQuery(personsQuery), queries.prefetchQuery(todayQuery(project, sinceOf(choice, look, Date.now()), ''))])
}

/** useNeeds is what waits for the person; an earlier moment has nothing that waits. */
function useNeeds(project: string, past: boolean): Need[] {
  const approvals = useQuery({ ...pendingQuery, enabled: !past }).data ?? []
  const notes = useInbox().data?.items ?? []
  const failed = useQuery(failedQuery).data ?? []
  const conversations = useConversations(project).data ?? []
  return past ? [] : needsOf(project, { approvals, notes, failed: lately(failed), conversations })
}

/** Today answers what needs somebody, what changed since they looked, what will slip, and how the week stands. */
export function Today({ project }: { project: string }) {
  const { asOf, past } = useMoment()
  const since = useSince(project)
  const needs = useNeeds(project, past)
  const day = useQuery(todayQuery(project, since.since, asOf))
  const said = choices.find((c) => c.value === since.choice)?.title ?? ''
  useKeys(past ? [] : [{ key: 's', does: 'tell what changed since another moment', act: since.next }])
  return (
    <section>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1">
        <h2 className="m-0!">Today</h2>
        {!past && (
          <Menu
            className="px-2 py-0" shows={<>since {said} <kbd>s</kbd></>}
            groups={[{ name: 'Tell what changed since', of: choices.map((c) => ({ value: c.value, title: c.title })), value: since.choice, onChange: (to) => since.choose(to as typeof since.choice) }]}
          />
        )}
        {day.data && <span className="text-sm text-muted">{moment(day.data.since)} to {past ? moment(day.data.at) : 'now'}</span>}
        {day.data && <Findings of={day.data} />}
      </div>
      <State pending={day.isPending} error={day.error}>{day.data && <Known day={day.data} needs={needs} since={said} past={past} />}</State>
    </section>
  )
}

/** Findings is how much rules found that nobody has settled. */
function Findings({ of: { gaps, undecided } }: { of: Day }) {
  return (
    <span className="flex gap-x-4 text-sm">
      {gaps > 0 && <Link to="/blindspots" search={{ status: 'OPEN' } as never} className="text-warn"><span data-sign="▲">{count(gaps, 'blindspot')}</span></Link>}
      {undecided > 0 && <Link to="/deltas" className="text-warn"><span data-sign="≠">{undecided} to reconcile</span></Link>}
    </span>
  )
}

function Known({ day, needs, since, past }: { day: Day; needs: Need[]; since: string; past: boolean }) {
  const navigate = useNavigate()
  const { beside } = usePane()
  const [whole, setWhole] = useState('')
  const settle = useSettle()
  const told = { approve: 'Approved', deny: 'Denied', always: 'Approved for always' } as { [choice: string]: string }
  const answer = useAnswer({
    onSuccess: (g) => toast(`${told[g.body.choice] ?? g.body.choice}: ${effectOf(g.question) || g.question.question}`),
    onError: (e) => toast(e.message, { bad: true }),
  })
  const of = (id: string) => needs.find((n) => n.id === id)
  const give = (choice: 'approve' | 'deny') => (id: string) => {
    const need = of(id)
    if (need?.kind !== 'approval' || whole === id || !(need.approval.choices ?? []).includes(choice)) return
    answer.mutate({ question: need.approval, body: { choice, ...(need.approval.digest && { digest: need.approval.digest }) } })
  }
  const settled = (id: string) => {
    const need = of(id)
    if (need?.kind !== 'note') return give('deny')(id)
    settle.mutate({ ids: [need.note.id], state: 'done' })
    toast(`Done: ${need.note.title}`, { undo: () => settle.mutateAsync({ ids: [need.note.id], state: 'new' }) })
  }
  const linkOf = (id: string) => {
    const need = of(id)
    if (need) return saidOf(need, () => '').to
    const [part, record = ''] = id.split(' ')
    return part === 'week' ? { to: '/people' } : { to: '/records/$id', params: { id: record } }
  }
  const open = (id: string) => {
    const need = of(id)
    if (need?.kind === 'note') settle.mutate({ ids: [need.note.id], state: 'read' })
    void navigate(linkOf(id) as never)
  }
  const ids = [...needs.map((n) => n.id), ...(day.plan ?? []).map((d) => `plan ${d.id}`), ...(day.slips ?? []).map((s) => `slip ${s.id}`), ...(day.news ?? []).map((n) => `news ${n.id} ${n.what}`), ...fullest(day).map((w) => `week ${w.resourceId}`)]
  const { at, row } = useRows(ids, {
    Enter: { does: 'open it', act: open },
    o: { does: 'show it beside', act: (id) => beside((linkOf(id).to).replace('$id', linkOf(id).params?.id ?? '')) },
    ...(!past && needs.length > 0 && {
      a: { does: 'approve what is asked', act: give('approve') },
      d: { does: 'deny what is asked; mark what you were told as done', act: settled },
      v: { does: 'show exactly what is asked, or hide it', act: (id: string) => setWhole(whole === id ? '' : of(id)?.kind === 'approval' ? id : '') },
    }),
  })
  return (
    <>
      <Tiles of={day} since={since} />
      <div className="grid items-start gap-x-8 @5xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="min-w-0">
          {!past && <Needs of={needs} at={at} whole={whole} row={row} onAnswer={(g: Given) => answer.mutate(g)} />}
          <Slipping of={day} row={row} />
        </div>
        <div className="min-w-0">
          <Changed of={day} since={since} row={row} />
          <Week of={day} row={row} />
        </div>
      </div>
    </>
  )
}
