import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, must, type Schemas } from '../api/client'
import { Question } from '../ui/Question'
import { State } from '../ui/State'

/** useAnswer answers a question; what was asked about is asked again. */
export function useAnswer() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (a: { id: string; body: Schemas['AnswerBody'] }) => must(api.POST('/api/approvals/{id}', { params: { path: { id: a.id } }, body: a.body })),
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['approval'] })
      void queries.invalidateQueries({ queryKey: ['run'] })
    },
  })
}

/** Approvals lists what agents wait for, and what was answered. */
export function Approvals() {
  const [every, setEvery] = useState(false)
  const q = useQuery({
    queryKey: ['approval', every],
    queryFn: () => must(api.GET('/api/approvals', { params: { query: every ? { limit: 200 } : { status: 'pending', limit: 200 } } })),
  })
  const answer = useAnswer()
  return (
    <section>
      <h2>Approvals</h2>
      <label><input type="checkbox" checked={every} onChange={(e) => setEvery(e.target.checked)} /> Also what was answered</label>
      {answer.error && <p className="bad" role="alert">{answer.error.message}</p>}
      <State pending={q.isPending} error={q.error} empty={q.data?.length === 0} hint="Nothing waits for you.">
        {(q.data ?? []).map((a) => (
          <div key={a.id}>
            <Question question={a} busy={answer.isPending} onAnswer={(body) => answer.mutate({ id: a.id, body })} />
            <Link to="/runs/$id" params={{ id: a.run }}>The run</Link>
          </div>
        ))}
      </State>
    </section>
  )
}
