import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { api, must, type Schemas } from '../../api/client'
import { count } from '../../lib/count'
import { useMoment } from '../../lib/moment'
import { useRows } from '../../lib/rows'
import { day } from '../../lib/when'
import { Person } from '../../ui/Person'
import { Severity } from '../../ui/Severity'
import { State } from '../../ui/State'
import { Status } from '../../ui/Status'
import { Table } from '../../ui/Table'
import { Preview } from '../records/Preview'

type Dependent = Schemas['FlowDependent']

/** reach are the tickets that one comes to from some, by what each leads to. */
function reach(of: Map<string, Dependent>, from: string, to: (d: Dependent) => string[] | null): Set<string> {
  const found = new Set<string>()
  const waiting = [from]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const d = of.get(id)
    for (const next of (d && to(d)) ?? []) {
      if (found.has(next)) continue
      found.add(next)
      waiting.push(next)
    }
  }
  return found
}

/** Dependencies shows which open tickets wait for which, step by step from left to right. */
export function Dependencies({ project }: { project: string }) {
  const navigate = useNavigate()
  const { asOf, query } = useMoment()
  const q = useQuery({ queryKey: ['ticket', project, 'dependencies', asOf], queryFn: () => must(api.GET('/api/projects/{project}/dependencies', { params: { path: { project }, query } })) })
  const all = q.data?.tickets ?? []
  const free = useFree(project, all.length)
  const of = new Map(all.map((d) => [d.ticketId, d]))
  const { at, row } = useRows(all.map((d) => d.ticketId), {
    Enter: { does: 'open the ticket', act: (id) => void navigate({ to: '/records/$id', params: { id } } as never) },
  }, (id) => ({ kind: 'record', id }))
  const before = reach(of, at, (d) => d.waitsFor)
  const after = reach(of, at, (d) => d.holdsUp)
  const steps = [...new Set(all.map((d) => d.step))]
  const name = (id: string) => of.get(id)?.externalRef || of.get(id)?.title || id
  return (
    <State pending={q.isPending || (all.length > 0 && free.isPending)} error={q.error} empty={all.length === 0} hint="No open ticket waits for another. What blocks a ticket comes from an export's links, or is said on its record.">
      {(q.data?.circles ?? []).map((c) => (
        <p key={(c ?? []).join()} className="text-danger wrap-anywhere" role="alert">These wait for each other, so that none can begin: {(c ?? []).map(name).join(', ')}.</p>
      ))}
      <p className="text-muted wrap-anywhere">
        {(q.data?.longest ?? []).length > 0 && <>The longest chain: {(q.data?.longest ?? []).map(name).join(' → ')}. </>}Of the chosen ticket, <span className="text-warn">what it waits for</span> and <span className="text-live">what it holds up</span> are marked.
      </p>
      <div className="grid auto-cols-[minmax(14rem,1fr)] grid-flow-col gap-3 overflow-x-auto pb-2">
        {steps.map((s) => (
          <section key={s} aria-label={s === 0 ? 'Can begin' : `Step ${s}`}>
            <h3 className="mt-1!">{s === 0 ? 'Can begin' : `Step ${s}`} <span className="text-muted">{count(all.filter((d) => d.step === s).length, 'ticket')}</span></h3>
            {all.filter((d) => d.step === s).map((d) => {
              const { className, ...place } = row(d.ticketId)
              const mark = before.has(d.ticketId) ? 'border-warn' : after.has(d.ticketId) ? 'border-live' : 'border-line'
              return (
                <article key={d.ticketId} {...place} className={`my-1 border px-2 py-1 wrap-anywhere ${className} ${mark}`}>
                  <div className="flex justify-between gap-2 text-muted"><span>{d.externalRef}</span> <Status of={d.status} /></div>
                  <div><Link to="/records/$id" params={{ id: d.ticketId }}>{d.title}</Link></div>
                  {(d.waitsFor ?? []).length > 0 && <p className="m-0! text-muted">waits for {(d.waitsFor ?? []).map(name).join(', ')}</p>}
                  {d.circle && <p className="m-0! text-danger">waits for itself</p>}
                </article>
              )
            })}
          </section>
        ))}
      </div>
      <Free project={project} of={(free.data?.items ?? []).filter((t) => !of.has(t.id)).slice(0, mostFree)} />
      <Preview id={at} />
    </State>
  )
}

const mostFree = 12
const unblocked = 'status:TODO,IN_PROGRESS,REVIEW blockedBy:none'

/** useFree are the open tickets that wait for none, the most urgent first; so many of them may hold others up. */
function useFree(project: string, chained: number) {
  const { asOf, query } = useMoment()
  return useQuery({
    queryKey: ['ticket', project, 'free', asOf], enabled: chained > 0,
    queryFn: () => must(api.GET('/api/projects/{project}/tickets', { params: { path: { project }, query: { ...query, filter: unblocked, sort: '-priority,due', limit: mostFree + chained } } })),
  })
}

/** Free lists the open tickets that wait for none and hold none up: what can go on meanwhile. */
function Free({ project, of: free }: { project: string; of: Schemas['RecordOfTicketBody'][] }) {
  if (free.length === 0) return null
  return (
    <section aria-label="In no chain">
      <h3>In no chain <Link to="/tickets" search={{ project, filter: unblocked } as never} className="ml-2 text-sm font-normal">all that wait for none</Link></h3>
      <Table
        heads={['Key', 'Title', 'Priority', 'Status', 'Owner', 'Due']}
        rows={free.map((t) => ({ key: t.id, cells: [<span key="key" className="text-accent">{t.body.externalRef}</span>, <div key="title" className="min-w-[14ch] wrap-anywhere"><Link to="/records/$id" params={{ id: t.id }}>{t.body.title}</Link></div>, <Severity key="priority" of={t.body.priority} />, <Status key="status" of={t.body.status} />, <Person key="owner" name={t.owner} />, day(t.body.dueDate)] }))}
      />
    </section>
  )
}
