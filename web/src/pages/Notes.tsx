import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { api, done, must, type Schemas } from '../api/client'
import { useUnsaved } from '../lib/unsaved'
import { day } from '../lib/when'
import { Sources } from '../ui/Sources'
import { State } from '../ui/State'

type Note = Schemas['MemoryNote']

/** Notes are what is remembered of the person who looks, for them alone: they see where each is from, correct it, and have it forgotten. */
export function Notes() {
  const queries = useQueryClient()
  const [editing, setEditing] = useState('')
  const q = useQuery({ queryKey: ['memory', 'notes'], queryFn: () => must(api.GET('/api/notes')) })
  const stale = { onSettled: () => void queries.invalidateQueries({ queryKey: ['memory'] }) }
  const keep = useMutation({
    mutationFn: (n: { key?: string; content: string; type?: string; tags?: string[]; expiresAt?: string }) => must(api.POST('/api/notes', { body: n })),
    onSuccess: () => setEditing(''),
    ...stale,
  })
  const forget = useMutation({ mutationFn: (id: string) => done(api.DELETE('/api/notes/{id}', { params: { path: { id } } })), ...stale })
  const wrong = keep.error ?? forget.error
  const notes = q.data ?? []
  return (
    <details className="card">
      <summary>What is remembered of you: {q.isPending ? '…' : notes.length} {notes.length === 1 ? 'note' : 'notes'}, which nobody else sees</summary>
      {wrong && <p className="danger" role="alert">{wrong.message}</p>}
      <State pending={q.isPending} error={q.error} empty={notes.length === 0} hint="Nothing. Say “remember that …” to an agent, or write a note here; agents that work for you are told.">
        <ul aria-label="Your notes" className="grid gap-2">
          {notes.map((n) => (
            <li key={n.id}>
              {editing === n.id
                ? <Words text={n.content} label={`Note ${n.key}`} busy={keep.isPending} onLeave={() => setEditing('')} onWritten={(content) => keep.mutate({ key: n.key, content, ...(n.type ? { type: n.type } : {}), ...(n.tags ? { tags: n.tags } : {}), ...(n.expiresAt ? { expiresAt: n.expiresAt } : {}) })} />
                : <div className="whitespace-pre-wrap wrap-anywhere">{n.content}</div>}
              <div className="text-muted">
                {from(n)}{n.at ? `, ${day(n.at)}` : ''}{' '}
                {editing !== n.id && <button type="button" className="px-2 py-0" aria-label={`Correct the note ${n.key}`} onClick={() => setEditing(n.id)}>Correct</button>}{' '}
                <button type="button" className="px-2 py-0" aria-label={`Forget the note ${n.key}`} disabled={forget.isPending} onClick={() => confirm('Forget this note now? No agent is told it then.') && forget.mutate(n.id)}>Forget</button>
              </div>
              <Sources of={n.sources} />
            </li>
          ))}
        </ul>
      </State>
      <Words text="" label="New note" busy={keep.isPending} onWritten={(content) => keep.mutate({ content })} />
    </details>
  )
}

/** from says where a note is from. */
function from(n: Note) {
  const by = n.sources?.[0]?.by ?? ''
  if (by.startsWith('rule:')) return 'You asked for it in a conversation'
  if (by === 'person' || by === '') return 'You wrote it'
  return `${by} wrote it`
}

/** Words is a note that is being written. */
function Words(p: { text: string; label: string; busy: boolean; onWritten: (text: string) => void; onLeave?: () => void }) {
  const [text, setText] = useState(p.text)
  useUnsaved(text.trim() !== p.text.trim())
  const submit = (e: FormEvent) => {
    e.preventDefault()
    if (text.trim() === '') return
    p.onWritten(text.trim())
    if (!p.onLeave) setText('')
  }
  return (
    <form aria-label={p.label} className="row" onSubmit={submit} onKeyDown={(e) => e.key === 'Escape' && p.onLeave?.()}>
      <input aria-label={`${p.label}, its text`} placeholder="What agents should know when they work for you" className="grow" value={text} onChange={(e) => setText(e.target.value)} />
      <button type="submit" disabled={p.busy}>Save</button>
      {p.onLeave && <button type="button" onClick={p.onLeave}>Cancel</button>}
    </form>
  )
}
