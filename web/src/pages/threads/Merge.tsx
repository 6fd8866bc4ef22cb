import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client'
import { change } from '../../lib/change'
import { count } from '../../lib/count'
import { merged } from '../../lib/merge'
import { day } from '../../lib/when'
import { parts, type ThreadRecord } from './Threads'

/** Merge says what becomes of threads that are merged, and merges them. */
export function Merge(p: { project: string; of: ThreadRecord[]; onMerged: (id: string) => void; onLeave: () => void }) {
  const queries = useQueryClient()
  const [into, setInto] = useState(p.of[0]?.id ?? '')
  const target = p.of.find((r) => r.id === into) ?? p.of[0]
  const others = p.of.filter((r) => r !== target)
  const [title, setTitle] = useState('')
  const merge = useMutation({
    mutationFn: () => change(`Merged ${count(p.of.length, 'thread')}`, api.POST('/api/projects/{project}/threads/merge', {
      params: { path: { project: p.project } },
      body: { sourceThreadIds: [target?.id ?? '', ...others.map((r) => r.id)], ...(title.trim() ? { targetTitle: title.trim() } : {}) },
    })),
    onSuccess: async (r) => {
      await queries.invalidateQueries({ queryKey: ['thread'] })
      p.onMerged(r.id)
    },
  })
  const after = merged(p.of.map((r) => r.body))
  return (
    <form aria-label="Merge" className="min-h-0 flex-1 overflow-y-auto px-4 py-3" onSubmit={(e) => {
      e.preventDefault()
      merge.mutate()
    }}>
      <h3 className="mt-0!">Merge {p.of.length} threads</h3>
      <fieldset className="grid gap-px">
        <legend className="text-muted">Which one takes in the others</legend>
        {p.of.map((r) => (
          <label key={r.id} className={`flex items-baseline gap-2 px-2 py-1 ${r === target ? 'bg-selected' : ''}`}>
            <input type="radio" name="into" checked={r === target} onChange={() => setInto(r.id)} />
            <span className="min-w-0"><span className="wrap-anywhere">{r.body.title}</span> <span className="text-muted">{[day(r.body.date), ...parts(r.body)].filter(Boolean).join(' · ')}</span></span>
          </label>
        ))}
      </fieldset>
      <div className="row"><input aria-label="Title" placeholder={target?.body.title} value={title} onChange={(e) => setTitle(e.target.value)} /></div>
      <div className="card" data-testid="preview">
        <p><b>{title.trim() || target?.body.title}</b> will hold {count(after.decisions, 'decision')}, {count(after.actions, 'action')}, {count(after.questions, 'question')}, {after.evidence} pieces of evidence and all that was written. What is said twice is kept once.</p>
        <p>{others.map((r) => `“${r.body.title}”`).join(', ')} {others.length === 1 ? 'stays as a record that is merged' : 'stay as records that are merged'} into it. Whatever refers to {others.length === 1 ? 'it' : 'them'} refers to the one that is left.</p>
      </div>
      {merge.error && <p className="danger" role="alert">{merge.error.message}</p>}
      <div className="row">
        <button type="submit" disabled={merge.isPending}>Merge them</button>
        <button type="button" onClick={p.onLeave}>Leave them</button>
      </div>
    </form>
  )
}
