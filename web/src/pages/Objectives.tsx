import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, must, type Schemas } from '../api/client'
import { count } from '../lib/count'
import { useMayEdit, useMoment } from '../lib/moment'
import { useWord } from '../lib/project'
import { useEdits } from '../lib/records'
import { useRows } from '../lib/rows'
import { useTitles } from '../lib/titles'
import { day } from '../lib/when'
import { Bar } from '../ui/Bar'
import { Named } from '../ui/Named'
import { Sources } from '../ui/Sources'
import { State } from '../ui/State'
import { Status } from '../ui/Status'
import { Whole } from '../ui/Whole'

type Objective = Schemas['RecordOfObjectiveBody']
type Coverage = Schemas['FlowCoverage']

const most = 50 // unmapped tickets that are listed

/** Objectives shows how far each objective is by its tickets, and the tickets that serve none. */
export function Objectives({ project }: { project: string }) {
  const navigate = useNavigate()
  const { asOf, query } = useMoment()
  const [sprint, setSprint] = useWord('sprint')
  const [opened, setOpened] = useState<string[]>([])
  const path = { project }
  const q = useQuery({ queryKey: ['objective', project, asOf], queryFn: () => must(api.GET('/api/projects/{project}/objectives', { params: { path, query: { ...query, limit: 500 } } })) })
  const coverage = useQuery({ queryKey: ['counts', project, 'coverage', asOf], queryFn: () => must(api.GET('/api/projects/{project}/coverage', { params: { path, query } })), placeholderData: keepPreviousData })
  const covers = new Map((coverage.data?.objectives ?? []).map((c) => [c.objectiveId, c]))
  const every = q.data?.items ?? []
  const sprints = [...new Set(every.map((o) => o.body.sprintName ?? ''))].filter(Boolean).sort()
  const all = every.filter((o) => sprint === '' || o.body.sprintName === sprint)
  const unmapped = coverage.data?.unmappedTicketIds ?? []
  const titles = useTitles(project, [...opened.flatMap((id) => covers.get(id)?.ticketIds ?? []), ...unmapped.slice(0, most)])
  const may = useMayEdit()
  const edits = useEdits<Objective['body']>(project, 'objective', 'objectives')
  const accept = (id: string) => {
    const of = all.find((o) => o.id === id)
    if (may && of?.body.status === 'PROPOSED') edits.change(of as never, { status: 'COMMITTED' })
  }
  const toggle = (id: string) => setOpened((o) => (o.includes(id) ? o.filter((x) => x !== id) : [...o, id]))
  const { row } = useRows([...all.map((o) => o.id), ...unmapped.slice(0, most)], {
    Enter: { does: 'open the record', act: (id) => void navigate({ to: '/records/$id', params: { id } } as never) },
    o: { does: 'its tickets', act: (id) => covers.has(id) && toggle(id) },
    ...(may && { a: { does: 'accept a proposed objective', act: accept } }),
  })
  return (
    <Whole>
      <h2>Objectives <span className="text-muted">{q.data?.total}</span></h2>
      <State pending={q.isPending || coverage.isPending} error={q.error ?? coverage.error} empty={every.length === 0} hint="No objectives yet. Lines such as “Sprint 7 goal: …” in minutes become objectives: see Intake.">
        <div className="row">
          <select aria-label="Sprint" value={sprint} onChange={(e) => setSprint(e.target.value)}>
            <option value="">every sprint</option>
            {sprints.map((s) => <option key={s}>{s}</option>)}
          </select>
          <span className="text-muted">
            <Key colour="bg-up" /> done <Key colour="bg-live opacity-50" /> in work <Key colour="bg-line" /> open. Covered is what is done or in work.
          </span>
        </div>
        {all.map((o) => (
          <article key={o.id} {...row(o.id)} className={`card ${row('').className}`} aria-label={o.body.outcome}>
            <Goal of={o} cover={covers.get(o.id)} {...(may && { accept: () => accept(o.id) })} />
            <button type="button" className="mt-1 px-2 py-0" aria-expanded={opened.includes(o.id)} onClick={() => toggle(o.id)}>{count(covers.get(o.id)?.ticketIds?.length, 'ticket')} <kbd>o</kbd></button>
            {opened.includes(o.id) && (
              <div className="mt-1">
                {(covers.get(o.id)?.ticketIds ?? []).map((id) => (
                  <p key={id}><span className="inline-block w-[14ch]"><Status of={String(titles.get(id)?.fields.status ?? 'gone')} /></span> <Named ids={[id]} titles={titles} /> <span className="text-muted">{String(titles.get(id)?.fields.owner ?? '')}</span></p>
                ))}
                {(covers.get(o.id)?.ticketIds ?? []).length === 0 && <p className="text-muted">No ticket serves it. Name the objective in tickets, or tickets in the objective.</p>}
                <Sources of={o.body.sources} />
              </div>
            )}
          </article>
        ))}
        <h3>Tickets that serve no objective <span className={unmapped.length > 0 ? 'text-warn' : 'text-muted'} data-testid="unmapped">{unmapped.length}</span></h3>
        <State pending={coverage.isPending} error={null} empty={unmapped.length === 0} hint="Every ticket serves an objective.">
          <div className="grid grid-cols-[minmax(0,1fr)] gap-x-6 @3xl:grid-cols-2">
            {unmapped.slice(0, most).map((id) => {
              const { className, ...place } = row(id)
              return (
                <p key={id} {...place} className={`m-0 flex gap-3 px-2 py-0.5 ${className}`}>
                  <span className="w-[14ch] shrink-0"><Status of={String(titles.get(id)?.fields.status ?? '')} /></span>
                  <span className="min-w-0 wrap-anywhere"><Named ids={[id]} titles={titles} /></span>
                </p>
              )
            })}
          </div>
          {unmapped.length > most && <p className="text-muted">and {unmapped.length - most} more</p>}
        </State>
      </State>
    </Whole>
  )
}

const Key = ({ colour }: { colour: string }) => <span aria-hidden="true" className={`ml-2 inline-block h-[.7em] w-[1.4ch] ${colour}`} />

/** Goal is an objective with how far its tickets are. */
function Goal({ of: o, cover: c, accept }: { of: Objective; cover: Coverage | undefined; accept?: () => void }) {
  const all = (c?.done ?? 0) + (c?.inProgress ?? 0) + (c?.open ?? 0) // what was closed without being done is none of it
  return (
    <div className="grid items-baseline gap-x-4 gap-y-1 @3xl:grid-cols-[minmax(0,1fr)_34ch]">
      <div className="min-w-0">
        <Link to="/records/$id" params={{ id: o.id }} className="wrap-anywhere">{o.body.outcome}</Link>
        <div className="text-muted">
          {[o.body.sprintName, o.body.startDate && `${day(o.body.startDate)} to ${day(o.body.endDate ?? 'no end')}`].filter(Boolean).join(' · ')} <Status of={o.body.status} />
          {accept && o.body.status === 'PROPOSED' && <button type="button" className="ml-2 px-2 py-0" onClick={accept}>Accept <kbd>a</kbd></button>}
        </div>
        {o.body.measurableSignal && <div className="text-muted">Measured by: {o.body.measurableSignal}</div>}
        {(o.body.risks ?? []).map((r) => <div key={r} className="text-warn">Risk: {r}</div>)}
      </div>
      <div className="flex items-baseline gap-2 tabular-nums">
        <Bar label={`${c?.done ?? 0} done, ${c?.inProgress ?? 0} in work, ${c?.open ?? 0} open`} whole={all} parts={[{ value: c?.done ?? 0, colour: 'up' }, { value: c?.inProgress ?? 0, colour: 'live', faint: true }]} />
        <span className={c?.coveragePercent === 0 ? 'text-danger' : ''}>{c?.coveragePercent ?? 0}%</span>
        <span className="text-muted whitespace-nowrap">{c?.done ?? 0}/{all} done{(c?.closed ?? 0) > 0 && `, ${c?.closed} dropped`}</span>
      </div>
    </div>
  )
}
