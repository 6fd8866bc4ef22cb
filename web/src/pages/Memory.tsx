import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, must, type Schemas } from '../api/client'
import { change } from '../lib/change'
import { expired } from '../lib/expired'
import { useMay } from '../lib/me'
import { useProject, useWord } from '../lib/project'
import { useRows } from '../lib/rows'
import { day } from '../lib/when'
import { useWho } from '../lib/who'
import { worded } from '../lib/words'
import { Options } from '../ui/Options'
import { Sources } from '../ui/Sources'
import { State } from '../ui/State'
import { Table } from '../ui/Table'
import { ViewHead } from '../ui/ViewHead'
import { Whole } from '../ui/Whole'
import { MemoryForm, type Written } from './MemoryForm'
import { Notes } from './Notes'
import { Recalled } from './Recalled'

type Kept = Schemas['RecordOfMemoryBody']

/** long is from how many letters on a memory is cut. */
const long = 400

const scopes = ['GLOBAL', 'PROJECT', 'SESSION', 'THREAD', 'AGENT', 'TEAM'] as const

/** useMemories lists the memories that the address asks for: GLOBAL ones, and those of the project. */
function useMemories(project: string, scope: string, words: string) {
  return useInfiniteQuery({
    queryKey: ['memory', project, scope, words],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      must(api.GET('/api/memories', { params: { query: { projectId: project || undefined, scope: (scope || undefined) as (typeof scopes)[number] | undefined, query: words.trim() || undefined, cursor: pageParam || undefined, limit: 50 } } })),
    getNextPageParam: (last) => last.next || undefined,
    placeholderData: keepPreviousData,
  })
}

/** useChanges are what can be done with memories; each is asked again afterwards. */
function useChanges(project: string, after: () => void) {
  const queries = useQueryClient()
  const done = { onSuccess: after, onSettled: () => queries.invalidateQueries({ queryKey: ['memory'] }) }
  const keep = useMutation({
    mutationFn: (w: Written) => change(w.key ? `Remembered ${w.key}` : `Remembered “${w.content.slice(0, 60)}”`, api.POST('/api/memories', { body: { key: w.key, content: w.content, tags: w.tags, expiresAt: w.expiresAt, ...(w.everywhere ? {} : { projectId: project }) } })),
    ...done,
  })
  const edit = useMutation({
    mutationFn: ({ of, to }: { of: Kept; to: Written }) =>
      change(`Changed ${named(of)}`, api.PATCH('/api/projects/{project}/memories/{id}', {
        params: { path: { project: of.projectId || project, id: of.id }, header: { 'If-Match': of.version } },
        body: { content: to.content, tags: to.tags, expiresAt: to.expiresAt || null } as never,
      })),
    ...done,
  })
  const forget = useMutation({ mutationFn: (of: Kept) => change(`Forgot ${named(of)}`, api.DELETE('/api/memories/{id}', { params: { path: { id: of.id } } })), ...done })
  return { keep, edit, forget }
}

/** Memory shows what agents remember; people correct it, and have it forgotten. */
export function Memory() {
  const project = useProject()
  const [words, setWords] = useWord('q')
  const [scope, setScope] = useWord('scope')
  const [editing, setEditing] = useState<Kept | 'new'>() // as it was when somebody began to edit it
  const [whole, setWhole] = useState('') // the memory that is shown in full
  const may = useMay('editor')
  const who = useWho()
  const q = useMemories(project, scope, words)
  const all = q.data?.pages.flatMap((p) => p.items ?? []) ?? []
  const { keep, edit, forget } = useChanges(project, () => setEditing(undefined))
  const wrong = keep.error ?? edit.error ?? forget.error
  const canEdit = (m: Kept) => may && (m.projectId || project) !== ''
  const drop = (m: Kept) => may && !forget.isPending && confirm(`Forget “${named(m)}” now? No agent recalls it then; the log keeps what was.`) && forget.mutate(m)
  const of = (id: string) => all.find((m) => m.id === id)
  const { row } = useRows(all.map((m) => m.id), {
    e: { does: 'edit the memory', act: (id) => { const m = of(id); if (m && canEdit(m)) setEditing(m) } },
    x: { does: 'forget it', act: (id) => { const m = of(id); if (m) drop(m) } },
  })
  const cells = (m: Kept) => [
    <div key="what" className="min-w-0">
      <Link to="/records/$id" params={{ id: m.id }}>{named(m)}</Link> {(m.body.tags ?? []).filter((t) => !t.startsWith('upto:')).map((t) => <span key={t} className="chip">{t}</span>)}
      {typeof editing === 'object' && editing.id === m.id
        ? <MemoryForm of={editing.body} busy={edit.isPending} onLeave={() => setEditing(undefined)} onWritten={(to) => edit.mutate({ of: editing, to })} />
        : <div className={`whitespace-pre-wrap wrap-anywhere text-text ${whole === m.id ? '' : 'line-clamp-4'}`}>{m.body.content}</div>}
      {m.body.content.length > long && <button type="button" className="plain text-link!" aria-expanded={whole === m.id} onClick={() => setWhole(whole === m.id ? '' : m.id)}>{whole === m.id ? 'Less' : 'All of it'}</button>}
      {(m.body.sources ?? []).some((s) => s.quote) && <details><summary className="text-muted">Why it is known</summary><Sources of={m.body.sources} /></details>}
    </div>,
    worded(m.body.scope),
    <Expiry key="expiry" at={m.body.expiresAt} />,
    <span key="who">{who(m.updatedBy)} <span className="text-muted">{day(m.updatedAt)}</span></span>,
    may && (
      <span key="do" className="flex flex-wrap gap-1">
        {canEdit(m) && <button type="button" className="px-2 py-0" aria-label={`Edit ${named(m)}`} onClick={() => setEditing(m)}>Edit</button>}
        <button type="button" className="px-2 py-0" aria-label={`Forget ${named(m)}`} onClick={() => drop(m)}>Forget</button>
      </span>
    ),
  ]
  return (
    <Whole>
      <ViewHead title="Memory" total={q.data?.pages[0]?.total} primary={may && { name: 'New memory', open: editing === 'new', act: () => setEditing('new') }} />
      <div className="row">
        <input aria-label="Words in what is remembered" placeholder="Words in what is remembered, or a question" value={words} onChange={(e) => setWords(e.target.value)} />
        <select aria-label="Scope" value={scope} onChange={(e) => setScope(e.target.value)}>
          <option value="">{project === '' ? 'for all projects' : 'this project’s and those for all'}</option>
          <Options of={scopes} />
        </select>
      </div>
      <Recalled project={project} question={words} />
      <Notes />
      {may && <p className="text-muted @max-md:hidden"><kbd>j k</kbd> move · <kbd className="text-text!">e</kbd> edit · <kbd className="text-text!">x</kbd> forget</p>}
      {wrong && <p className="danger" role="alert">{wrong.message}</p>}
      {editing === 'new' && <div className="card"><MemoryForm named everywhere={project === ''} busy={keep.isPending} onLeave={() => setEditing(undefined)} onWritten={(w) => keep.mutate(w)} /></div>}
      <State
        pending={q.isPending} error={q.error} empty={all.length === 0}
        hint={words || scope ? 'No memory fits. Look for other words, or in every scope.' : 'Nothing is remembered yet. Agents keep what they are told to remember; you can keep something yourself.'}
      >
        <Table heads={[{ name: 'Memory', below: true }, 'Scope', 'Expires', 'Written by', '']} rows={all.map((m) => ({ key: m.id, on: row(m.id), cells: cells(m) }))} />
        {q.hasNextPage && <button type="button" onClick={() => void q.fetchNextPage()} disabled={q.isFetchingNextPage}>More</button>}
      </State>
    </Whole>
  )
}

/** made is a key that was made from the text, because nobody gave one. */
const made = /-[0-9a-f]{8}$/

/** named is what a memory is called in a list. */
function named(m: Kept) {
  if (m.body.key?.startsWith('intake-')) return 'Documents of an import'
  if (m.body.key === 'conversation' && m.body.type === 'summary') return 'A conversation, in short'
  return made.test(m.body.key ?? '') ? worded(m.body.type || 'fact') : (m.body.key ?? '')
}

/** Expiry tells when a memory ends. */
function Expiry({ at }: { at: string | undefined }) {
  if (!at) return <span className="text-muted">never</span>
  return expired(at) ? <span className="text-warn">expired {day(at)}</span> : <span>{day(at)}</span>
}
