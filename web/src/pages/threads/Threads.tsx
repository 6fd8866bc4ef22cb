import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { api, must, type Schemas } from '../../api/client'
import { Moment } from '../../frame/Moment'
import { useNarrow } from '../../frame/narrow'
import { Past, Timed } from '../../frame/Timed'
import { useCalm } from '../../lib/calm'
import { count } from '../../lib/count'
import { useMayEdit, useMoment } from '../../lib/moment'
import { useKeys } from '../../lib/pane'
import { usePlace, useWord } from '../../lib/project'
import { useRows } from '../../lib/rows'
import { day } from '../../lib/when'
import { State } from '../../ui/State'
import { Merge } from './Merge'
import { Thread } from './Thread'

export type ThreadRecord = Schemas['RecordOfThreadBody']

/** Threads are what was talked about: the list, and the one that is open. */
export function Threads({ project }: { project: string }) {
  const [place, go] = usePlace()
  const [filter, setFilter] = useWord('filter')
  const [marked, setMarked] = useState<string[]>([])
  const [merging, setMerging] = useState(false)
  const may = useMayEdit()
  const { asOf, since, past, query } = useMoment()
  const sought = useDeferredValue(filter)
  const q = useQuery({
    queryKey: ['thread', project, sought, asOf],
    queryFn: () => must(api.GET('/api/projects/{project}/threads', { params: { path: { project }, query: { ...query, newest: true, limit: 200, filter: sought.trim() || undefined } } })),
    placeholderData: keepPreviousData,
    retry: false,
  })
  const all = q.data?.items ?? []
  const open = place.thread ?? ''
  const show = (thread: string) => go({ ...place, project, thread: thread || undefined } as typeof place)
  const mark = (id: string) => setMarked((m) => (m.includes(id) ? m.filter((x) => x !== id) : [...m, id]))
  const chosen = marked.flatMap((id) => all.find((r) => r.id === id) ?? [])
  const { at, row } = useRows(all.map((r) => r.id), {
    Enter: { does: 'open the thread', act: show },
    ...(may ? { x: { does: 'mark it, to merge it with others', act: mark } } : {}),
  })
  const wide = !useNarrow()
  const near = useCalm(at)
  const beside = open || (wide ? near : '') // what is chosen shows beside the list before it is opened
  useKeys(may && chosen.length > 1 ? [{ key: 'm', does: 'merge the marked threads', act: () => setMerging(true) }] : [])
  if (since !== '') return <Timed project={project} of="/threads">{null}</Timed> // what changed, in place of the view
  return (
    <section className="@container absolute inset-0 flex flex-col">
      <div className="flex items-center gap-2 border-b border-line px-3 py-1.5">
        <h2 className="m-0! flex-1">Threads <span className="muted" data-testid="total">{q.data?.total}</span></h2>
        {may && chosen.length > 0 && <button type="button" className="px-2 py-0" disabled={chosen.length < 2} onClick={() => setMerging(true)}>Merge {chosen.length} <kbd>m</kbd></button>}
        {!past && <Moment project={project} />}
      </div>
      <div className="px-3 pt-2 empty:hidden"><Past project={project} /></div>
      <div className="flex min-h-0 flex-1">
        <div className={`${open ? 'hidden' : 'flex'} w-full shrink-0 flex-col border-line @3xl:flex @3xl:w-84 @3xl:border-r`}>
          <input aria-label="Words in threads" placeholder="Words, or a filter such as date:>2026-03-01" value={filter} onChange={(e) => setFilter(e.target.value)} className="border-0! border-b! border-line bg-transparent! px-3!" />
          <div className="min-h-0 flex-1 overflow-y-auto">
            <div className="px-3 py-1 empty:hidden">
              <State pending={q.isPending} error={q.error} empty={all.length === 0} hint={filter ? 'No thread has these words.' : 'No threads yet. They come from minutes: see Intake.'}>{null}</State>
            </div>
            {all.map((r) => {
              const { className, ...place } = row(r.id)
              return (
                <div key={r.id} className={`flex border-b border-line/60 ${r.id === open ? 'bg-selected' : ''}`}>
                  {may && <input type="checkbox" aria-label={`Mark ${r.body.title}`} checked={marked.includes(r.id)} onChange={(e) => {
                    mark(r.id)
                    e.currentTarget.blur() // or its keys would be for the field
                  }} className="mt-2 ml-3 self-start accent-accent" />}
                  <button type="button" {...place} onClick={() => show(r.id)} className={`block min-w-0 flex-1 border-0! bg-transparent! px-3! py-1.5! text-left text-text! outline-offset-[-2px]! ${className}`}>
                    <span className="block truncate">{r.body.title}</span>
                    <span className="block truncate text-xs text-muted">{[day(r.body.date), ...parts(r.body)].filter(Boolean).join(' · ')}{r.body.lifecycle !== 'ACTIVE' && <span className="text-warn"> · {r.body.lifecycle.toLowerCase()}</span>}</span>
                  </button>
                </div>
              )
            })}
          </div>
        </div>
        <div className={`${open || merging ? 'flex' : 'hidden'} min-w-0 flex-1 flex-col @3xl:flex`}>
          {merging && chosen.length > 1
            ? <Merge project={project} of={chosen} onLeave={() => setMerging(false)} onMerged={(id) => {
              setMerging(false)
              setMarked([])
              show(id)
            }} />
            : beside
              ? <Thread key={beside} project={project} id={beside} onBack={() => show('')} />
              : <p className="m-auto! max-w-[60ch] px-6 text-muted">Open a thread to see its evidence, decisions, actions and questions, and to discuss it. <kbd>x</kbd> marks threads that are about the same; <kbd>m</kbd> merges them.</p>}
        </div>
      </div>
    </section>
  )
}

/** parts counts what a thread holds. */
export function parts(b: Schemas['DeskThreadBody']): string[] {
  const of: [unknown[] | null | undefined, string][] = [[b.decisions, 'decision'], [b.actions, 'action'], [b.openQuestions, 'question']]
  return of.filter(([list]) => (list?.length ?? 0) > 0).map(([list, word]) => count(list?.length, word))
}
