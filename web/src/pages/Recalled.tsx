import { useQuery } from '@tanstack/react-query'
import { api, must } from '../api/client'
import { day } from '../lib/when'
import { worded } from '../lib/words'

/** Recalled lists what is known for a question, the best first, with why each was found. */
export function Recalled({ project, question }: { project: string; question: string }) {
  const words = question.trim()
  const q = useQuery({
    queryKey: ['memory', 'recall', project, words],
    enabled: words.includes(' '), // one word is a search
    queryFn: () => must(api.GET('/api/recall', { params: { query: { q: words, projectId: project || undefined, limit: 5 } } })),
  })
  const found = q.data?.items ?? []
  if (found.length === 0) return null
  return (
    <details className="card" open>
      <summary>What is known for this question, also by other words and from your conversations and notes</summary>
      <ul aria-label="What is known" className="grid gap-2">
        {found.map((p) => (
          <li key={p.id} className={p.weak || p.superseded ? 'text-muted' : ''}>
            <div className="line-clamp-3 wrap-anywhere">{p.text}</div>
            <div className="text-muted">
              <span className="chip">{worded(p.scope)}</span> {[p.type, p.speaker, day(p.at), p.superseded && 'superseded', p.outside && 'from outside', p.weak && 'weak'].filter(Boolean).join(' · ')}
              {' · why: '}{(p.reasons ?? []).slice(0, 3).map((r) => `${r.part} ${r.text}`.trim()).join(', ')}
            </div>
          </li>
        ))}
      </ul>
    </details>
  )
}
