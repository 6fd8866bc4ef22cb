import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, must, type Schemas } from '../api/client'
import { change } from '../lib/change'
import { shown, spoken } from '../lib/changes'
import { count } from '../lib/count'
import { needs, ordered, takes } from '../lib/deltas'
import { useMayEdit, useMoment } from '../lib/moment'
import { useWord } from '../lib/project'
import { useRows } from '../lib/rows'
import { isRecord, type Known, useTitles } from '../lib/titles'
import { dated, day, moment } from '../lib/when'
import { worded } from '../lib/words'
import { useWho } from '../lib/who'
import { Named } from '../ui/Named'
import { Severity } from '../ui/Severity'
import { State } from '../ui/State'
import { Whole } from '../ui/Whole'
import { Compared, useConflicts } from './Compared'

type Pack = Schemas['RecordOfDeltaPackBody']
type Delta = Schemas['DeskDelta']
type Verdict = Schemas['DecisionBody']
type How = Pick<Verdict, 'take' | 'value' | 'only'>

/** Reconcile shows where records disagree, both sides beside each other, and has it decided. */
export function Reconcile({ project }: { project: string }) {
  const [id, choose] = useWord('pack')
  const { asOf, query } = useMoment()
  const q = useQuery({
    queryKey: ['delta_pack', project, asOf],
    queryFn: () => must(api.GET('/api/projects/{project}/delta-packs', { params: { path: { project }, query: { ...query, newest: true, limit: 20 } } })),
  })
  const packs = q.data?.items ?? []
  const pack = packs.find((p) => p.id === id) ?? packs[0]
  const open = (pack?.body.deltas ?? []).filter((d) => !d.decision).length
  const deltas = useDeltas(project, pack)
  const held = useConflicts(project)
  const { row } = useRows([...deltas.rows, ...held.rows], {
    ...(deltas.rows.length > 0 && { a: { does: 'accept the delta', act: deltas.accept }, x: { does: 'dismiss the delta', act: deltas.dismiss } }),
    ...(held.rows.length > 0 && { m: { does: 'keep mine', act: (at: string) => held.take(at, 'MINE') }, t: { does: 'take theirs', act: (at: string) => held.take(at, 'THEIRS') } }),
  })
  return (
    <Whole>
      <h2>Reconcile <span className="muted" data-testid="total">{pack && open}</span></h2>
      <State pending={q.isPending} error={q.error} empty={pack === undefined} hint="Nothing to reconcile yet. Each intake compares the records and puts what disagrees here.">
        <div className="row">
          <select aria-label="Delta pack" value={pack?.id ?? ''} onChange={(e) => choose(e.target.value === packs[0]?.id ? '' : e.target.value)} className="max-w-full">
            {packs.map((p) => <option key={p.id} value={p.id}>{moment(p.createdAt)}{p.body.title && !p.body.title.startsWith('After changes') ? ` · ${dated(p.body.title)}` : ''}</option>)}
          </select>
          <span className="text-muted">{count(pack?.body.deltas?.length, 'delta')}, {open} to decide{pack?.body.status === 'SUPERSEDED' && '; a newer pack took its place'}</span>
        </div>
        {pack && <Deltas key={pack.id} of={deltas} row={row} />}
      </State>
      <Compared of={held} row={row} />
    </Whole>
  )
}

/** useDeltas are the deltas of a pack, the rows of them in the order to look at them, and how one is decided. */
function useDeltas(project: string, pack: Pack | undefined) {
  const queries = useQueryClient()
  const may = useMayEdit() && pack?.body.status !== 'SUPERSEDED'
  const deltas = pack?.body.deltas ?? []
  const known = useTitles(project, deltas.flatMap((d) => [d.sourceA ?? '', d.sourceB ?? '', ...(d.recordIds ?? []).slice(0, 5)]))
  const decide = useMutation({
    mutationFn: (body: Verdict) => change(`${worded(body.decision)}: ${deltas[body.delta]?.title ?? 'the delta'}`, api.POST('/api/projects/{project}/delta-packs/{id}/decisions', { params: { path: { project, id: pack?.id ?? '' } }, body })),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['delta_pack'] }),
  })
  const give = (at: number, decision: 'ACCEPTED' | 'DISMISSED', how: How = {}) => {
    const d = deltas[at]
    if (may && d && d.decision !== 'ACCEPTED' && d.decision !== decision && !(decide.isPending && decide.variables.delta === at)) decide.mutate({ delta: at, decision, ...how })
  }
  const accept = (row: string) => {
    const d = deltas[Number(row)]
    if (!d) return
    const [one, other] = takes(d, known)
    if (needs(d)) document.getElementById(`value-${row}`)?.focus()
    else if (!other) give(Number(row), 'ACCEPTED', one ? { take: one } : {}) // of two, one has to be chosen
  }
  return { deltas, rows: ordered(deltas).map(String), known, may, decide, give, accept, dismiss: (row: string) => give(Number(row), 'DISMISSED') }
}

/** Deltas shows what disagrees in a pack, both sides beside each other, and what can be decided. */
function Deltas({ of: { deltas, rows, known, may, decide, give }, row }: { of: ReturnType<typeof useDeltas>; row: ReturnType<typeof useRows>['row'] }) {
  const who = useWho()
  return (
    <>
      {may && <p className="text-muted @max-md:hidden"><kbd>j k</kbd> move · <kbd className="text-text!">a</kbd> accept, with the change where one is offered (of two, choose) · <kbd className="text-text!">x</kbd> dismiss</p>}
      {decide.error && <p className="danger" role="alert">{decide.error.message}</p>}
      <div className={known.late ? 'late' : undefined}>
        {rows.map((place) => {
          const at = Number(place)
          const d = deltas[at] as Delta
          return (
            <article key={at} {...row(place)} className={`card ${row('').className}`} aria-label={d.title}>
              <p><Severity of={d.severity} /> <b className={d.decision ? 'text-muted' : ''}>{d.title}</b> <span className="text-muted">{d.deltaType.replaceAll('_', ' ').toLowerCase()}</span></p>
              {d.description && <p className="whitespace-pre-line">{d.description}</p>}
              {(d.valueA || d.valueB) && (
                <div className="grid gap-x-4 @2xl:grid-cols-2">
                  <Side source={d.sourceA} field={d.fieldName} value={d.valueA} known={known} />
                  <Side source={d.sourceB} field={d.fieldName} value={d.valueB} known={known} />
                </div>
              )}
              {!(d.valueA || d.valueB) && (d.recordIds ?? []).length > 0 && <p className="text-muted">About <Named ids={d.recordIds} titles={known} most={5} /></p>}
              {d.suggestedAction && <p className="text-muted">Suggested: {d.suggestedAction}</p>}
              {d.decision && (
                <p className="text-up">
                  {d.decision === 'ACCEPTED' ? 'Accepted' : 'Dismissed'} by {who(d.decidedBy)} on {day(d.decidedAt)}.
                  {d.changedId && <> Changed: <Named ids={[d.changedId]} titles={known} /></>}
                </p>
              )}
              {may && d.decision !== 'ACCEPTED' && <Choices at={at} delta={d} takes={takes(d, known)} busy={decide.isPending} give={(decision, how) => give(at, decision, how)} />}
            </article>
          )
        })}
      </div>
    </>
  )
}

/** Side is what one side says: where, which field, what. What no record says, such as the day of today, is no field of it. */
function Side(p: { source: string | undefined; field: string | undefined; value: string | undefined; known: Map<string, Known> }) {
  return (
    <div className="border-l-2 border-line pl-2 my-1 min-w-0 wrap-anywhere">
      <div className="text-muted">{isRecord(p.source) ? <Named ids={[p.source ?? '']} titles={p.known} /> : p.source || 'source not named'}{(isRecord(p.source) || !p.source) && ` ${spoken(p.field ?? '')}`}</div>
      <div className="text-strong">{shown(p.value) || <span className="text-muted">nothing</span>}</div>
    </div>
  )
}

/** Choices are what can be decided of a delta; each change that would be made is spelled out. */
function Choices(p: { at: number; delta: Delta; takes: ('A' | 'B')[]; busy: boolean; give: (decision: 'ACCEPTED' | 'DISMISSED', how?: How) => void }) {
  const d = p.delta
  const asks = needs(d)
  const [value, setValue] = useState('')
  return (
    <div className="flex flex-wrap gap-2">
      {p.takes.map((side) => (
        <button type="button" key={side} className="px-2 py-0" disabled={p.busy} aria-label={`Accept ${d.title} with ${side === 'A' ? d.valueA : d.valueB}`} onClick={() => p.give('ACCEPTED', { take: side })}>
          Accept: set {spoken(d.fieldName ?? '')} to {shown(side === 'A' ? d.valueA : d.valueB)}
        </button>
      ))}
      {asks && (
        <form className="flex gap-2" onSubmit={(e) => { e.preventDefault(); if (value) p.give('ACCEPTED', { value }) }}>
          <input id={`value-${p.at}`} type={asks.type} placeholder={asks.word} aria-label={`${asks.word} for ${d.title}`} value={value} onChange={(e) => setValue(e.target.value)} />
          <button type="submit" className="px-2 py-0" disabled={p.busy || value === ''}>Accept with it</button>
        </form>
      )}
      {!asks && p.takes.length === 0 && <button type="button" className="px-2 py-0" disabled={p.busy} aria-label={`Accept ${d.title}`} onClick={() => p.give('ACCEPTED')}>Accept</button>}
      {(asks || p.takes.length > 0) && <button type="button" className="px-2 py-0" disabled={p.busy} aria-label={`Accept, change nothing: ${d.title}`} onClick={() => p.give('ACCEPTED', { only: true })}>Accept, change nothing</button>}
      {!d.decision && <button type="button" className="px-2 py-0" disabled={p.busy} aria-label={`Dismiss ${d.title}`} onClick={() => p.give('DISMISSED')}>Dismiss</button>}
    </div>
  )
}
