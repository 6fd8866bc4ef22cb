import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, must, type Schemas } from '../../api/client'
import { count } from '../../lib/count'
import { save } from '../../lib/csv'
import { foretold } from '../../lib/foretold'
import { about } from '../../lib/load'
import { useMoment } from '../../lib/moment'
import { useKeys } from '../../lib/pane'
import { useWord } from '../../lib/project'
import { useSprints } from '../../lib/sprint'
import { day } from '../../lib/when'
import { worded } from '../../lib/words'
import { Failed, State } from '../../ui/State'
import { toast } from '../../ui/toast'
import { ViewHead } from '../../ui/ViewHead'
import { Charts } from '../charts/OneChart'
import { behind, written } from './behind'

type Made = Schemas['ReportReport']
type Item = Schemas['ReportItem']

const spans = [{ name: '7 days', from: '' }, { name: '14 days', from: '2w' }, { name: '4 weeks', from: '4w' }]

/** useAsked is of what and over which days the report is: of the project over a span, or of a sprint over its days. */
function useAsked(): { sprint: string; span: string; query: { sprint?: string; from?: string; asOf?: string }; setSprint: (to: string) => void; setSpan: (to: string) => void } {
  const { asOf, since } = useMoment()
  const [sprint, setSprint] = useWord('sprint')
  const [span, setSpan] = useWord('span')
  const from = since !== '' ? since.slice(0, 10) : sprint === '' ? span : ''
  return { sprint, span, setSprint, setSpan, query: { ...(sprint && { sprint }), ...(from && { from }), ...(asOf && { asOf }) } }
}

/** charts are those beside a report. */
const charts = ['burn-up', 'throughput', 'cost'] as const

/** Report is the status of a project or a sprint for those who are not in it: a page to print, and the same as Markdown. Its numbers lead to the records behind them. */
export function Report({ project }: { project: string }) {
  const { asOf, since } = useMoment()
  const { sprint, span, query, setSprint, setSpan } = useAsked()
  const sprints = useSprints(project, asOf).data?.items ?? []
  const q = useQuery({ queryKey: ['counts', project, 'report', query], queryFn: async () => must(api.GET('/api/projects/{project}/report', { params: { path: { project }, query } })) as Promise<Made | string> })
  const markdown = () => must(api.GET('/api/projects/{project}/report', { params: { path: { project }, query: { ...query, format: 'markdown', base: location.origin } }, parseAs: 'text' })) as Promise<unknown> as Promise<string>
  const made = typeof q.data === 'object' ? q.data : undefined
  const keep = useMutation({ mutationFn: markdown, onSuccess: (text) => save(`${made?.project ?? 'status'} ${made?.to ?? ''}.md`, new Blob([text], { type: 'text/markdown;charset=utf-8' })) })
  const copy = useMutation({ mutationFn: async () => navigator.clipboard.writeText(await markdown()), onSuccess: () => toast('Copied the report as Markdown') })
  useKeys([{ key: 'm', does: 'save the report as Markdown', act: () => keep.mutate() }, { key: 'y', does: 'copy the report as Markdown', act: () => copy.mutate() }])
  return (
    <section>
      <ViewHead title="Report" primary={{ name: 'Print', key: 'p', act: () => print() }}>
        <select aria-label="Of" value={sprint} onChange={(e) => setSprint(e.target.value)}><option value="">the project</option>{sprints.map((s) => <option key={s.name} value={s.name}>{s.name}</option>)}</select>
        {sprint === '' && since === '' && <select aria-label="Over" value={span} onChange={(e) => setSpan(e.target.value)}>{spans.map((s) => <option key={s.name} value={s.from}>{s.name}</option>)}</select>}
        <button type="button" className="px-2 py-0.5" disabled={keep.isPending} onClick={() => keep.mutate()}>Markdown <kbd>m</kbd></button>
        <button type="button" className="px-2 py-0.5" disabled={copy.isPending} onClick={() => copy.mutate()}>Copy <kbd>y</kbd></button>
      </ViewHead>
      <Failed of={keep.error ?? copy.error} />
      <State pending={q.isPending} error={q.error}>
        {made && (
          <div className="flex items-start gap-6">
            <Paper of={made} />
            <aside aria-label="Behind the report" className="hidden min-w-0 flex-1 @6xl:block"><Charts project={project} names={charts} /></aside>
          </div>
        )}
      </State>
    </section>
  )
}

/** Paper is the report on a sheet of paper: light in every look, A4 when it is printed. */
function Paper({ of: r }: { of: Made }) {
  return (
    <article data-theme="light" aria-label="The report" className="paper w-full [overflow-wrap:anywhere] max-w-[94ch] border border-line bg-bg px-10 py-8 text-text">
      <h2 className="mb-0!">{r.project}{r.sprint && `: ${r.sprint}`}</h2>
      <p className="mt-1! text-muted">{day(r.from)} to {day(r.to)}</p>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(18ch,1fr))] pr-px pb-px">
        {(r.numbers ?? []).map((n) => <Figure key={n.name} of={n} />)}
      </div>
      <Items name="Finished" of={r.finished} />
      <Items name="Late" of={r.late} />
      <Items name="Blocked or waiting" of={r.blocked} />
      <Items name={r.past ? 'Due in the seven days after' : 'Due in the next seven days'} of={r.next} />
      <Part name="Objectives" of={(r.objectives ?? []).map((o) => <span key={o.objectiveId}><Rec id={o.objectiveId}>{o.outcome}</Rec>: {o.coveragePercent} % covered, {o.done} done of {(o.ticketIds ?? []).length - o.closed}</span>)} />
      <Part name="Milestones" of={(r.milestones ?? []).map((m) => <span key={m.id}>{m.targetDate ? day(m.targetDate) : 'no day'} <Rec id={m.id}>{m.name}</Rec>: {worded(m.status).toLowerCase()}{(m.daysLate ?? 0) > 0 && <b className="text-danger!">, {count(m.daysLate, 'day')} late</b>}</span>)} />
      <Part name="Who has too much" of={(r.overloaded ?? []).map((l) => <span key={l.resourceId}><Rec id={l.resourceId}>{l.name}</Rec>: {about(l, '')}{Math.max(l.allocatedPercent, l.estimatedPercent ?? 0)} %, {count(l.tickets, 'open ticket')}</span>)} />
      {r.forecast && <Part name="Forecast" of={[...foretold(r.forecast), ...(r.forecast.notes ?? [])]} />}
      {(r.notes ?? []).map((n) => <p key={n} className="text-sm text-muted">{n}</p>)}
    </article>
  )
}

function Figure({ of: n }: { of: Schemas['ReportNumber'] }) {
  const there = behind(n)
  const value = <span className="text-figure leading-tight tabular-nums">{n.atLeast ? 'at least ' : ''}{written(n.value, n.unit)}</span>
  return (
    <div className="-mr-px -mb-px border border-line px-3 py-2">
      <div className="text-sm text-accent">{n.name}</div>
      <div>{there ? <Link to={there.to as never} search={((now: object) => ({ ...now, sprint: undefined, span: undefined, since: undefined, ...there.search })) as never}>{value}</Link> : value}</div>
      <div className="text-sm text-muted">{n.was === undefined ? ' ' : `${written(n.was, n.unit)} before`}</div>
    </div>
  )
}

function Rec({ id, children }: { id: string; children: ReactNode }) {
  return <Link to="/records/$id" params={{ id }} search={{ sprint: undefined, span: undefined } as never} className="underline decoration-faint underline-offset-3">{children}</Link>
}

/** Part is a part of the report; one in which nothing is has no place. */
function Part({ name, of }: { name: string; of: ReactNode[] }) {
  if (of.length === 0) return null
  return <section aria-label={name}><h3>{name}</h3><ul className="my-1!">{of.map((line, i) => <li key={i} className="break-inside-avoid">{line}</li>)}</ul></section>
}

function Items({ name, of }: { name: string; of: Item[] | null }) {
  const about = (i: Item) => [worded(i.status).toLowerCase(), i.owner || (i.unassigned && 'unassigned'), i.dueDate && `due ${day(i.dueDate)}`, (i.waitsFor ?? []).length > 0 && `waits for ${(i.waitsFor ?? []).join(', ')}`].filter(Boolean).join(', ')
  return <Part name={name} of={(of ?? []).map((i) => <span key={i.id}><Rec id={i.id}>{i.key} {i.title}</Rec> <span className="text-muted">({about(i)})</span></span>)} />
}
