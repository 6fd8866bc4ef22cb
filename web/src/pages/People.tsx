import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { api, must, type Schemas } from '../api/client'
import { change } from '../lib/change'
import type { Colour } from '../lib/colours'
import { count } from '../lib/count'
import { about, fullness, hoursless } from '../lib/load'
import { useMayEdit, useMoment } from '../lib/moment'
import { useWord } from '../lib/project'
import { useRows } from '../lib/rows'
import { worded } from '../lib/words'
import { Bar } from '../ui/Bar'
import { State } from '../ui/State'
import { Table } from '../ui/Table'

type Line = Schemas['CapacityLine']
type Suggestion = Schemas['CapacitySuggestion']
type Capacity = Schemas['CapacityOut']
type Alike = Schemas['CapacityAlike']

/** loads say how much somebody has to do: a word, and its colour. */
const loads: { [load: string]: { word: string; colour: Colour; look: string } } = {
  OVERLOADED: { word: 'overloaded', colour: 'danger', look: 'text-danger' },
  BALANCED: { word: 'balanced', colour: 'live', look: '' },
  UNDERUTILIZED: { word: 'has room', colour: 'up', look: 'text-up' },
  IDLE: { word: 'free', colour: 'up', look: 'text-up' },
  AWAY: { word: 'away', colour: 'muted', look: 'text-muted' },
}

/** taken is how much of somebody's time is given to tickets, or estimated where no share is given. */
const taken = (l: Line) => Math.round(l.estimatedPercent ?? l.allocatedPercent)

/** why says in a sentence what a load comes from. */
function why(l: Line): string {
  if (l.awayDays) return `away on ${l.awayDays} of the next 5 working days; ${count(l.tickets, 'open ticket')}`
  if (l.effectiveHours === 0) return l.tickets > 0 ? `${count(l.tickets, 'open ticket')}, and no hours for this project` : 'no hours for this project'
  if (l.tickets === 0) return 'nothing open'
  if (l.estimate) return `${count(l.tickets, 'open ticket')}; ${l.estimate}`
  return `${l.allocatedPercent}% on ${count(l.tickets, 'open ticket')}`
}

/** useAssign gives a ticket to somebody. It is shown at once, and taken back when the daemon refuses. */
function useAssign(project: string, key: readonly unknown[]) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (s: Suggestion) => change(`Assigned ${s.title} to ${s.name}`, api.POST('/api/projects/{project}/assignments', { params: { path: { project } }, body: { resourceId: s.resourceId, ticketId: s.ticketId } as never })),
    onMutate: async (s) => {
      await queries.cancelQueries({ queryKey: key })
      const before = queries.getQueryData<Capacity>(key)
      if (before) {
        queries.setQueryData<Capacity>(key, {
          ...before,
          assigned: before.assigned + 1,
          suggestions: (before.suggestions ?? []).filter((x) => x.ticketId !== s.ticketId),
          resources: (before.resources ?? []).map((l) => (l.resourceId === s.resourceId ? { ...l, tickets: l.tickets + 1 } : l)),
        })
      }
      return before
    },
    onError: (_e, _s, before) => queries.setQueryData(key, before),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['capacity'] }), // it is over before the answer has come
  })
}

/** useUnite merges somebody into the person who is likely the same. */
function useUnite(project: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (a: Alike) => change(`${a.called} is ${a.name} now`, api.POST('/api/projects/{project}/dedup', { params: { path: { project } }, body: { into: a.kept, records: [a.other] } as never })),
    onSettled: () => void queries.invalidateQueries(), // tickets, people and loads are others
  })
}

/** People shows who is loaded and who is free, and who could take what nobody has. */
export function People({ project }: { project: string }) {
  const navigate = useNavigate()
  const { asOf, query } = useMoment()
  const may = useMayEdit()
  const [person, setPerson] = useWord('person')
  const key = ['capacity', project, asOf] as const
  const q = useQuery({ queryKey: key, queryFn: () => must(api.GET('/api/projects/{project}/capacity', { params: { path: { project }, query } })) })
  const assign = useAssign(project, key)
  const lines = (q.data?.resources ?? []).toSorted((a, b) => fullness(b.load, taken(b)) - fullness(a.load, taken(a)) || b.tickets - a.tickets || a.name.localeCompare(b.name))
  const offers = (q.data?.suggestions ?? []).filter((s) => person === '' || s.resourceId === person)
  const give = (id: string) => {
    const s = offers.find((x) => `s:${x.ticketId}` === id)
    if (may && s && !(assign.isPending && assign.variables.ticketId === s.ticketId)) assign.mutate(s)
  }
  const open = (id: string) => void navigate({ to: '/records/$id', params: { id: id.slice(2) } } as never)
  const only = (id: string) => id.startsWith('p:') && setPerson(person === id.slice(2) ? '' : id.slice(2))
  const { row } = useRows([...lines.map((l) => `p:${l.resourceId}`), ...offers.map((s) => `s:${s.ticketId}`)], {
    Enter: { does: 'open the person or the ticket', act: open },
    f: { does: 'only suggestions for this person', act: only },
    ...(may && { a: { does: 'assign the ticket as it is suggested', act: give } }),
  })
  const most = Math.max(100, ...lines.map(taken))
  const d = q.data
  return (
    <section>
      <h2>People and capacity</h2>
      <State pending={q.isPending} error={q.error} empty={lines.length === 0} hint="No people yet. They come from minutes and exports: see Intake.">
        <p className="flex flex-wrap gap-x-5 text-muted">
          <span><b className={d?.overloaded ? 'text-danger' : 'text-text'}>{d?.overloaded}</b> overloaded</span>
          <span><b className="text-text">{d?.idle}</b> free</span>
          <span><b className="text-text">{d?.assigned}</b> of {d?.openTickets} open tickets assigned</span>
          <span>Hours are a week's: capacity × availability.</span>
        </p>
        <Table
          heads={['Name', { name: 'Role', from: 64 }, 'Load', '', 'Open', { name: 'Points', from: 64 }, { name: 'Free', from: 52 }, { name: 'Why', below: true }]}
          rows={lines.map((l) => {
            const load = loads[l.load] ?? { word: l.load, colour: 'muted' as const, look: '' }
            return {
              key: l.resourceId, on: row(`p:${l.resourceId}`),
              cells: [
                <span key="name" className="whitespace-nowrap"><Link to="/records/$id" params={{ id: l.resourceId }}>{l.name}</Link>{person === l.resourceId && <span className="text-warn"> chosen</span>}</span>, <span key="role" className="text-muted">{worded(l.role)}</span>,
                <span key="load" className={`whitespace-nowrap ${load.look}`}>{load.word}</span>,
                hoursless(l.load, taken(l)) ? <span key="bar" className="text-muted">no hours</span> : <span key="bar" className="flex min-w-[12ch] items-baseline gap-2 tabular-nums"><Bar label={l.estimate ? `${about(l, 'about ')}${taken(l)}% of the time, ${l.estimate}` : `${taken(l)}% of the time is given`} whole={most} mark={100} parts={[{ value: taken(l), colour: load.colour }]} /> {l.estimate && <span className="text-muted" title={l.estimate}>{about(l, 'about ')}</span>}{taken(l)}%</span>,
                <Link key="open" to="/tickets" search={{ filter: `owner:"${l.name}" -status:DONE,CLOSED` } as never}>{l.tickets}</Link>,
                l.allocatedSP, <span key="free" className="whitespace-nowrap tabular-nums">{l.spareCapacity} of {l.effectiveHours} h</span>, <span key="why" className="text-muted">{why(l)}{(l.skills ?? []).length > 0 && `; knows ${l.skills?.join(', ')}`}</span>,
              ],
            }
          })}
        />
        <Likely of={q.data?.likely ?? []} project={project} may={may} />
        <Offers
          offers={offers} nobody={d?.unassigned?.length ?? 0} row={row} error={assign.error} {...(may && { give })}
          {...(person !== '' && { person: lines.find((l) => l.resourceId === person)?.name ?? 'one person', all: () => setPerson('') })}
        />
      </State>
    </section>
  )
}

/** Offers lists who could take what nobody has, with the reasons; give assigns it. */
function Offers(p: { offers: Suggestion[]; nobody: number; row: ReturnType<typeof useRows>['row']; error: Error | null; give?: (id: string) => void; person?: string; all?: () => void }) {
  return (
    <>
      <h3>
        Suggested assignments{p.give && <> <kbd>a</kbd></>} <span className="text-muted">{count(p.nobody, 'open ticket')} unassigned</span>
        {p.person && <> <button type="button" className="px-2 py-0" onClick={p.all}>only {p.person}: show all</button></>}
      </h3>
      {p.error && <p className="danger" role="alert">It was not assigned: {p.error.message}</p>}
      <State pending={false} error={null} empty={p.offers.length === 0} hint={p.nobody === 0 ? 'Every open ticket is assigned.' : p.person ? 'Nothing is suggested for this person.' : 'Nobody has room: all are overloaded or have no hours here.'}>
        <Table
          heads={['Ticket', 'Person', 'Why', '']}
          rows={p.offers.map((s) => ({
            key: s.ticketId, on: p.row(`s:${s.ticketId}`),
            cells: [
              <Link key="ticket" to="/records/$id" params={{ id: s.ticketId }}>{s.title}</Link>, s.name, <span key="why" className="text-muted">{(s.reasons ?? []).join(', ')}</span>,
              p.give && <button key="do" type="button" className="px-2 py-0 whitespace-nowrap" aria-label={`Assign ${s.title} to ${s.name}`} onClick={() => p.give?.(`s:${s.ticketId}`)}>Assign</button>,
            ],
          }))}
        />
      </State>
    </>
  )
}

/** Likely lists who may be the same person under two names; nobody is merged unasked. */
function Likely(p: { of: Alike[]; project: string; may: boolean }) {
  const unite = useUnite(p.project)
  if (p.of.length === 0) return null
  return (
    <>
      <h3>Likely the same person <span className="text-muted">{p.of.length}</span></h3>
      {unite.error && <p className="danger" role="alert">They were not merged: {unite.error.message}</p>}
      <Table
        heads={['Name', 'Is likely', 'Why', '']}
        rows={p.of.map((a) => ({
          key: a.other,
          cells: [
            <Link key="other" to="/records/$id" params={{ id: a.other }}>{a.called}</Link>, <Link key="kept" to="/records/$id" params={{ id: a.kept }}>{a.name}</Link>, <span key="why" className="text-muted">{a.why}</span>,
            p.may && <button key="do" type="button" className="px-2 py-0 whitespace-nowrap" disabled={unite.isPending} aria-label={`Merge ${a.called} into ${a.name}`} onClick={() => unite.mutate(a)}>Merge</button>,
          ],
        }))}
      />
    </>
  )
}
