import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api, must } from '../api/client'
import { takeQuestion } from '../lib/asked'
import { usePane } from '../lib/pane'
import { useWord } from '../lib/project'
import { useRows } from '../lib/rows'
import { Cited } from '../ui/Cited'

/** examples are questions that need no model. */
const examples = ['Which developer has the most capacity?', 'What is overdue?', 'What is blocked?']

/** Ask answers a question from the records, with citations that open them. */
export function Ask({ project }: { project: string }) {
  const navigate = useNavigate()
  const { beside } = usePane()
  const [linked] = useWord('q')
  const [question, setQuestion] = useState(linked)
  const { mutate, ...ask } = useMutation({ mutationFn: (q: string) => must(api.POST('/api/ask', { body: { projectId: project, question: q } })) })
  const visit = useRouterState({ select: (s) => s.location.state.key })
  useEffect(() => {
    const q = visit === undefined ? '' : takeQuestion()
    if (q === '') return
    setQuestion(q)
    mutate(q)
  }, [visit, mutate])
  const a = ask.data
  const { row } = useRows((a?.sources ?? []).map((s) => s.id), {
    Enter: { does: 'open the source', act: (id) => void navigate({ to: '/records/$id', params: { id } } as never) },
    o: { does: 'show it beside', act: (id) => beside(`/records/${id}?project=${project}`) },
  }, (id) => ({ kind: 'record', id }))
  return (
    <section>
      <h2>Ask</h2>
      <form
        className="row"
        onSubmit={(e) => {
          e.preventDefault()
          if (question.trim() !== '') mutate(question)
        }}
      >
        <input aria-label="Question" placeholder="Which developer has the most capacity?" value={question} onChange={(e) => setQuestion(e.target.value)} />
        <button type="submit" disabled={ask.isPending}>{ask.isPending ? 'Looking…' : 'Ask'}</button>
      </form>
      {!a && !ask.isPending && (
        <p className="muted">
          Answers come from the records, and name those they come from. For example: {examples.map((q) => <button key={q} type="button" className="mr-2 px-2 py-0" onClick={() => { setQuestion(q); mutate(q) }}>{q}</button>)}
        </p>
      )}
      {ask.error && <p className="bad" role="alert">{ask.error.message}</p>}
      {a && (
        <article className="card" data-testid="answer">
          {a.computed && <span className="chip">computed, no model asked</span>}
          <Cited text={a.answer} />
          {(a.unsupported ?? []).map((u) => <p key={u.text} className="bad">Not supported by the records: {u.text}. {u.why}</p>)}
          {(a.notes ?? []).map((n) => <p key={n} className="muted">{n}</p>)}
          {(a.sources ?? []).length > 0 && <h3>Sources</h3>}
          <ul>
            {(a.sources ?? []).map((s) => (
              <li key={s.id} {...row(s.id)}><Link to="/records/$id" params={{ id: s.id }}>{s.title}</Link> <span className="muted">{s.kind}</span></li>
            ))}
          </ul>
        </article>
      )}
    </section>
  )
}
