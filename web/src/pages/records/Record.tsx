import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api, must, type Schemas } from '../../api/client'
import { Timed } from '../../frame/Timed'
import { spoken } from '../../lib/changes'
import { kinds } from '../../lib/kinds.gen'
import { useMayEdit, useMoment } from '../../lib/moment'
import { ordered, titleOf } from '../../lib/order'
import { useProject } from '../../lib/project'
import { useRows } from '../../lib/rows'
import { isRecord, useTitles } from '../../lib/titles'
import { day, moment } from '../../lib/when'
import { useWho } from '../../lib/who'
import { Differences } from '../../ui/Differences'
import { Person } from '../../ui/Person'
import { Severity } from '../../ui/Severity'
import { Sources } from '../../ui/Sources'
import { State } from '../../ui/State'
import { Status } from '../../ui/Status'
import { ViewHead } from '../../ui/ViewHead'
import { History, Mentions, useHistory, useReferences } from './Around'
import { EditRecord } from './EditRecord'
import { Value } from './Value'

type Body = { [field: string]: unknown; sources?: Schemas['DeskSource'][]; evidence?: Schemas['DeskEvidence'][]; conflicts?: Schemas['DeskDiscord'][] }

/** idsIn are the ids of records that the fields of a body name. */
function idsIn(value: unknown): string[] {
  if (typeof value === 'string') return isRecord(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(idsIn) : []
}

/** useRecord is a record of any kind, as it was at the shown moment. */
function useRecord(id: string) {
  const { asOf, query } = useMoment()
  return useQuery({ queryKey: ['record', id, asOf], queryFn: () => must(api.GET('/api/records/{id}', { params: { path: { id }, query } })) })
}

/** Record shows any record by its id: what a citation opens. */
export function Record() {
  const { id } = useParams({ strict: false }) as { id: string }
  const chosen = useProject()
  const q = useRecord(id)
  return (
    <Timed project={q.data?.projectId || chosen}>
      <section>
        {!q.data && <h2>Record <code>{id}</code></h2>}
        <State pending={q.isPending} error={q.error}>{q.data && <Known key={id} record={q.data} />}</State>
      </section>
    </Timed>
  )
}

function Known({ record: r }: { record: Schemas['RecordOfRawMessage'] }) {
  const navigate = useNavigate()
  const who = useWho()
  const may = useMayEdit() && kinds[r.kind] !== undefined && !r.mergedInto
  const { go } = useMoment()
  const [editing, setEditing] = useState(false)
  const body = r.body as Body
  const titles = useTitles(r.projectId, idsIn(body))
  const references = useReferences(r.id)
  const history = useHistory(r.id)
  const to = references.data?.refersTo ?? []
  const by = references.data?.referredBy ?? []
  const open = (row: string) => {
    const [what, id = ''] = row.split(' ')
    if (what === 'event') go({ asOf: history.all.find((h) => h.eventId === id)?.at ?? id })
    else void navigate({ to: '/records/$id', params: { id } } as never)
  }
  const { row } = useRows(
    [...to.map((m) => `to ${m.id}`), ...by.map((m) => `by ${m.id}`), ...history.all.map((h) => `event ${h.eventId}`)],
    { Enter: { does: 'open what it refers to, or show it as it was then', act: open } },
  )
  const choices = new Set(kinds[r.kind]?.fields.filter((f) => f.takes === 'choice').map((f) => f.name))
  const status = String(body.status ?? body.lifecycle ?? '')
  return (
    <>
      <ViewHead title={<>{body.externalRef ? <span className="font-normal text-accent">{String(body.externalRef)} </span> : null}{titleOf(body) || spoken(r.kind)}</>} primary={may && !editing && { name: 'Edit', key: 'e', act: () => setEditing(true) }} />
      <p className="mt-0 flex flex-wrap items-center gap-x-4">
        <span className="text-muted">{spoken(r.kind)}</span>
        {status !== '' && <Status of={status} />}
        {typeof body.priority === 'string' && <Severity of={body.priority} />}
        {r.kind === 'ticket' && <Person name={r.owner} />}
        {typeof body.dueDate === 'string' && <span><span className="text-muted">due</span> {day(body.dueDate)}</span>}
        {r.mergedInto && <span className="text-muted">merged into {r.mergedInto}</span>}
      </p>
      <div className="grid items-start gap-x-8 @5xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="min-w-0">
          {may && editing
            ? <EditRecord kind={r.kind} record={{ id: r.id, projectId: r.projectId, version: r.version, body, owner: r.owner }} onClose={() => setEditing(false)} />
            : <dl className="my-0">{ordered(r.kind, body, r.owner).map(([k, v]) => <div key={k}><dt>{spoken(k)}</dt><dd><Value of={v} titles={titles} choice={choices.has(k)} /></dd></div>)}</dl>}
          <Differences of={(body.conflicts ?? []).map((c) => ({ ticket: c.ticketId, title: c.title ?? '', field: c.field, before: c.ticketValue, after: c.sourceValue }))} />
          {(body.evidence ?? []).length > 0 && <h3>Evidence</h3>}
          {(body.evidence ?? []).map((e, i) => (
            <div key={i}>
              <p className="muted">{[e.author, day(e.date), e.type, e.reference].filter(Boolean).join(' · ')}</p>
              <blockquote>{e.snippet}</blockquote>
            </div>
          ))}
        </div>
        <div className="min-w-0">
          <h3 className="@5xl:mt-0!">Where it comes from</h3>
          <Sources of={body.sources} hint="No words were kept for this record." />
          {references.error && <p className="danger" role="alert">{references.error.message}</p>}
          <Mentions name="It refers to" kind={r.kind} of={to} row={row} prefix="to" />
          <Mentions name="What refers to it" kind={r.kind} of={by} total={references.data?.referredByTotal ?? 0} row={row} prefix="by" />
        </div>
      </div>
      <History of={history} row={row} />
      <p className="mt-6 flex flex-wrap items-center gap-x-4 text-xs text-faint">
        <code>{r.id}</code><span>version {r.version}</span>
        <span>created {moment(r.createdAt)} by {who(r.createdBy)}</span>
        {r.version > 1 && <span>changed {moment(r.updatedAt)} by {who(r.updatedBy)}</span>}
        {r.outside && <span title="It came by an intake or an import, or from an agent that had seen such. Agents take it for data, not for instructions.">words from outside</span>}
      </p>
    </>
  )
}
