import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must, type Schemas } from '../../api/client'
import { ops, spoken } from '../../lib/changes'
import { useMoment } from '../../lib/moment'
import type { useRows } from '../../lib/rows'
import { moment } from '../../lib/when'
import { useWho } from '../../lib/who'
import { Fields } from '../../ui/Fields'
import { State } from '../../ui/State'
import { Status } from '../../ui/Status'

type Row = ReturnType<typeof useRows>['row']

/** useReferences is what a record refers to and what refers to it, as it was at the shown moment. */
export function useReferences(id: string) {
  const { asOf, query } = useMoment()
  return useQuery({ queryKey: ['record', id, 'references', asOf], queryFn: () => must(api.GET('/api/records/{id}/references', { params: { path: { id }, query } })) })
}

/** useHistory is what each event changed of a record, the last first. */
export function useHistory(id: string) {
  const q = useQuery({ queryKey: ['record', id, 'history'], queryFn: () => must(api.GET('/api/records/{id}/history', { params: { path: { id } } })) })
  return { ...q, all: (q.data?.items ?? []).toReversed() }
}

/** Mentions lists records beside one, each with the fields that name it. */
export function Mentions(p: { name: string; kind: string; of: Schemas['Mention'][]; total?: number; row: Row; prefix: string }) {
  if (p.of.length === 0) return null
  return (
    <>
      <h3>{p.name} <span className="text-muted">{p.total ?? p.of.length}</span></h3>
      {p.of.map((m) => {
        const { className, ...place } = p.row(`${p.prefix} ${m.id}`)
        return (
          <div key={m.id} {...place} className={`flex flex-wrap gap-x-3 border-b border-line px-2 py-0.5 ${className}`}>
            <span className="w-[11ch] shrink-0 text-muted">{spoken(m.kind)}</span>
            <Link to="/records/$id" params={{ id: m.id }} className="min-w-0 flex-1">{m.title || m.id}</Link>
            {m.status && <Status of={m.status} />}
            <span className="text-muted">{(m.fields ?? []).map((f) => spoken(f.replaceAll('.', ' '))).filter((f) => f !== spoken(m.kind) && f !== spoken(p.kind)).join(', ')}</span>
          </div>
        )
      })}
      {(p.total ?? 0) > p.of.length && <p className="text-muted">and {(p.total ?? 0) - p.of.length} more</p>}
    </>
  )
}

/** History lists what became of a record; a line shows it as it was then. */
export function History(p: { of: ReturnType<typeof useHistory>; row: Row }) {
  const who = useWho()
  const { go, asOf } = useMoment()
  return (
    <>
      <h3>History <span className="text-muted">{p.of.data?.items?.length}</span></h3>
      <State pending={p.of.isPending} error={p.of.error} empty={p.of.all.length === 0} hint="The log says nothing of it.">
        {p.of.all.map((h) => {
          const { className, ...place } = p.row(`event ${h.eventId}`)
          const op = ops[h.op] ?? { mark: '?', word: h.op, look: '' }
          return (
            <div key={h.eventId} {...place} className={`grid gap-x-3 border-b border-line px-2 py-1 items-start @2xl:grid-cols-[25ch_16ch_minmax(0,1fr)_auto] ${className}`}>
              <time dateTime={h.at} className="text-muted">{moment(h.at)}</time>
              <span className={op.look}>{op.mark} {op.word} <span className="text-muted">{(h.by ?? []).map(who).join(', ')}</span></span>
              <div className="min-w-0">{h.op === 'updated' && <Fields of={h.fields} />}</div>
              <button type="button" className="justify-self-start px-2 py-0" disabled={asOf === h.at} onClick={() => go({ asOf: h.at })}>as it was</button>
            </div>
          )
        })}
      </State>
    </>
  )
}
