import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, must } from '../../api/client'
import { daysUntil, offered, readDay } from '../../lib/days'
import { about } from '../../lib/load'
import { useKeys } from '../../lib/pane'
import { day } from '../../lib/when'
import { worded } from '../../lib/words'
import { Chooser, type Offer } from '../../ui/Chooser'
import { Person } from '../../ui/Person'
import { Severity } from '../../ui/Severity'
import { Failed } from '../../ui/State'
import { Status } from '../../ui/Status'
import { type Quick, quicksOf, type Rec, factOf } from './quick'
import { usePatch } from './usePatch'

/** nobody is the value of the offer that takes away what a field has. */
const nobody = ''

/** usePeople are the people of a project, for who is to have something. */
function usePeople(project: string, enabled: boolean): Offer[] {
  const q = useQuery({ queryKey: ['capacity', project], enabled, queryFn: () => must(api.GET('/api/projects/{project}/capacity', { params: { path: { project } } })) })
  return (q.data?.resources ?? []).map((r) => ({ value: r.name, title: r.name, hint: `${r.tickets} open, ${about(r, '~')}${Math.round(r.estimatedPercent ?? r.allocatedPercent)} %`, words: r.role }))
}

/** Facts are the few fields of a record that one key changes, each chosen from a list by a few letters. */
export function Facts({ of: r, may, title }: { of: Rec; may: boolean; title: string }) {
  const [choosing, setChoosing] = useState<Quick>()
  const patch = usePatch()
  const quicks = quicksOf(r.kind)
  useKeys(may ? quicks.map((q) => ({ key: q.key, does: `choose ${q.name.toLowerCase()}`, act: () => setChoosing(q) })) : [])
  if (quicks.length === 0) return null
  const choose = (q: Quick, value: string) => {
    setChoosing(undefined)
    if (value === factOf(r, q.field)) return
    patch.mutate({ of: r, set: { [q.field]: value === nobody ? null : value }, said: `${title}: ${q.name.toLowerCase()} ${q.takes === 'choice' ? worded(value).toLowerCase() : value === nobody ? 'taken away' : q.takes === 'date' ? day(value) : value}` })
  }
  return (
    <>
      <ul aria-label="Facts" className="m-0! mb-3! flex list-none! flex-wrap gap-2 p-0!">
        {quicks.map((q) => (
          <li key={q.field}>
            <button type="button" disabled={!may} className="flex items-center gap-2 px-2 py-0.5 disabled:text-text" onClick={() => setChoosing(q)}>
              <span className="text-sm text-accent">{q.name}</span> <Fact of={q} value={factOf(r, q.field)} /> {may && <kbd>{q.key}</kbd>}
            </button>
          </li>
        ))}
      </ul>
      <Failed of={patch.error} />
      {choosing && <Choose of={choosing} project={r.projectId} value={factOf(r, choosing.field)} onChoose={(value) => choose(choosing, value)} onClose={() => setChoosing(undefined)} />}
    </>
  )
}

/** Fact is the value of a field that one key changes. */
function Fact({ of: q, value }: { of: Quick; value: string }) {
  if (q.takes === 'person') return <Person name={value} />
  if (value === '') return <span className="text-faint">none</span>
  if (q.field === 'priority' || q.field === 'severity') return <Severity of={value} />
  if (q.takes === 'choice') return <Status of={value} />
  return <span className={daysUntil(value.slice(0, 10)) < 0 ? 'text-danger' : 'text-strong'}>{day(value)}</span>
}

/** Choose is the list of what a field may be. */
function Choose(p: { of: Quick; project: string; value: string; onChoose: (value: string) => void; onClose: () => void }) {
  const { of: q } = p
  const people = usePeople(p.project, q.takes === 'person')
  const common = { title: q.name, value: p.value, onChoose: p.onChoose, onClose: p.onClose }
  if (q.takes === 'choice') return <Chooser {...common} hint="Type a few letters" of={(q.choices ?? []).map((c) => ({ value: c, title: worded(c) }))} />
  if (q.takes === 'person') return <Chooser {...common} hint="Whose is it?" of={[...people, ...(p.value === '' ? [] : [{ value: nobody, title: 'Nobody' }])]} />
  const read = (text: string) => {
    const to = readDay(text)
    return to === undefined ? undefined : { value: to, title: day(to), hint: text }
  }
  return <Chooser {...common} hint="A day: fri, 3d, 2w, 6 mar, 2026-03-06" read={read} of={[...offered().map((o) => ({ ...o, hint: day(o.value) })), ...(p.value === '' ? [] : [{ value: nobody, title: 'No day' }])]} />
}
