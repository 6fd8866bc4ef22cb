import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useRouterState } from '@tanstack/react-router'
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react'
import { api, must, type Schemas } from '../api/client'
import { takeQuestion } from '../lib/asked'
import { useMoment } from '../lib/moment'
import { usePane } from '../lib/pane'
import { useWord } from '../lib/project'
import { useRows } from '../lib/rows'
import { dated } from '../lib/when'
import { State } from '../ui/State'
import { Table } from '../ui/Table'

type Answer = Schemas['AskAnswer']
type AskPlan = Schemas['QuestionPlan']

/** Asked is a question, the plan that is computed in its place when it was changed, and whether a model may word the answer. */
type Asked = { question: string; plan?: AskPlan; worded: boolean }

/** Ask answers a question from the records: a sentence, the computed table, and what both rest on. The address has the question, or a draft that the person is to ask. */
export function Ask({ project }: { project: string }) {
  const [linked, link] = useWord('q')
  const [draft] = useWord('draft')
  const { asOf, query } = useMoment()
  const [question, setQuestion] = useState(linked || draft)
  const ask = (q: Asked, computed: boolean) => must(api.POST('/api/ask', { body: { projectId: project, question: q.question, ...(q.plan ? { plan: q.plan } : {}), ...query, computed } }))
  const worded = useMutation({ mutationFn: (q: Asked) => ask(q, false) })
  // The computed answer is shown at once; a model's words take its place when they come.
  const computed = useMutation({ mutationFn: (q: Asked) => ask(q, true), onSuccess: (a, q) => { if (q.worded && a.modelReady) worded.mutate(q) } })
  const { mutate: compute, reset: forget } = computed
  const { reset: forgetWords } = worded
  const answered = useRef({ question: '', asOf: '' }) // whose answer is shown, or on its way
  const mutate = useCallback((q: Asked) => {
    forgetWords()
    compute(q)
    answered.current = { question: q.question, asOf }
    setQuestion(q.question)
  }, [compute, forgetWords, asOf])
  const put = (q: string) => {
    mutate({ question: q, worded: true })
    link(q)
  }
  const visit = useRouterState({ select: (s) => s.location.state.key })
  useEffect(() => {
    const said = visit === undefined ? '' : takeQuestion()
    const q = said || linked
    if (said === '' && q === answered.current.question && (q === '' || asOf === answered.current.asOf)) return
    if (q !== '') return mutate({ question: q, worded: said !== '' }) // a link asks no model
    answered.current = { question: '', asOf }
    setQuestion(draft)
    forget()
    forgetWords()
  }, [visit, linked, draft, asOf, mutate, forget, forgetWords])
  const a = worded.data ?? computed.data
  return (
    <section>
      <h2>Ask</h2>
      <form
        className="row"
        onSubmit={(e) => {
          e.preventDefault()
          if (question.trim() !== '') put(question)
        }}
      >
        <input aria-label="Question" placeholder="Which developer has the most capacity?" value={question} onChange={(e) => setQuestion(e.target.value)} />
        <button type="submit" className="primary" disabled={computed.isPending}>{computed.isPending ? 'Looking…' : 'Ask'}</button>
      </form>
      {!a && !computed.isPending && (linked === '' || computed.isError) && <Usual project={project} choose={put} />}
      {computed.error && <p className="danger" role="alert">{computed.error.message}</p>}
      {worded.error && <p className="muted" role="alert">The model did not answer: {worded.error.message} The answer is computed.</p>}
      {a && <Answered a={a} waiting={worded.isPending} project={project} again={(plan) => mutate({ question, plan, worded: true })} />}
    </section>
  )
}

/** Usual answers the usual questions as of the moment, a line each, those of now anew each minute; one is opened whole by a key or a press. */
function Usual({ project, choose }: { project: string; choose: (question: string) => void }) {
  const { asOf, past, query } = useMoment()
  const q = useQuery({ queryKey: ['answers', project, asOf], refetchInterval: past ? false : 60_000, queryFn: () => must(api.GET('/api/projects/{project}/answers', { params: { path: { project }, query } })) })
  const lines = q.data ?? []
  const { row } = useRows(lines.map((l) => l.question), { Enter: { does: 'open the answer', act: choose } })
  return (
    <>
      <p className="muted">Answers come from the records, and name those they come from.</p>
      <State pending={q.isPending} error={q.error} empty={false} hint="">
        <Table
          heads={['Question', past ? 'Answer then' : 'Answer now']}
          rows={lines.map((l) => ({
            key: l.question, on: row(l.question),
            cells: [<button key="q" type="button" className="border-0 bg-transparent p-0 text-left text-link" onClick={() => choose(l.question)}>{l.question}</button>, <span key="a" className="line-clamp-2">{dated(l.answer)}</span>],
          }))}
        />
      </State>
    </>
  )
}

/** ownAnswer is an answer without those of further parts of the question. */
function ownAnswer(a: Answer): string {
  return (a.also ?? []).reduceRight((text, more) => (text.endsWith(`\n${more.answer}`) ? text.slice(0, -more.answer.length - 1) : text), a.answer)
}

/** othersOf are the sources of an answer that its table does not show. */
function othersOf(a: Answer) {
  const inTable = new Set((a.table?.rows ?? []).map((r) => r.id))
  return (a.sources ?? []).filter((s) => !inTable.has(s.id))
}

/** Answered shows the answer to a question, and those to its further parts, as one list of sources for the keys. */
function Answered({ a, waiting, project, again }: { a: Answer; waiting: boolean; project: string; again: (plan: AskPlan) => void }) {
  const navigate = useNavigate()
  const { beside } = usePane()
  const parts = [a, ...(a.also ?? [])]
  const { row } = useRows(parts.flatMap((p) => [...(p.table?.rows ?? []).flatMap((r) => (r.id ? [r.id] : [])), ...othersOf(p).map((s) => s.id)]), {
    Enter: { does: 'open the source', act: (id) => void navigate({ to: '/records/$id', params: { id } } as never) },
    o: { does: 'show it beside', act: (id) => beside(`/records/${id}?project=${project}`) },
  }, (id) => ({ kind: 'record', id }))
  const seen = new Set<string>()
  const rowOnce = (id: string) => {
    if (seen.has(id)) return {}
    seen.add(id)
    return row(id)
  }
  return (
    <article className="card" data-testid="answer">
      {a.searched ? <span className="chip">search</span> : a.computed && <span className="chip">{a.readBy ? `computed; ${a.readBy} read the question` : 'computed, no model asked'}</span>}
      {waiting && <span className="chip">a model is wording it…</span>}
      {parts.length > 1 && <ol>{parts.map((p, i) => <li key={i}>{dated(ownAnswer(p))}</li>)}</ol>}
      {parts.map((p, i) => <AnswerPart key={i} a={p} project={project} again={again} rowOnce={rowOnce} />)}
    </article>
  )
}

/** AnswerPart shows an answer, what the question was read as, its table, its sources and what is not supported. */
function AnswerPart({ a, project, again, rowOnce }: { a: Answer; project: string; again: (plan: AskPlan) => void; rowOnce: (id: string) => object }) {
  const others = othersOf(a)
  const list = (filter: string) => (a.plan.kind === 'ticket' ? { to: '/tickets', search: { project, filter } } as never : undefined)
  return (
    <>
      {(a.sentences ?? []).length === 0 ? <p>{dated(ownAnswer(a))}</p> : a.sentences?.map((s, i) => (
        <p key={i}>
          {(s.parts ?? []).map((x, n) => (x.why ? <mark key={n} className="danger" title={x.why}>{dated(x.text)}</mark> : <span key={n}>{dated(x.text)}</span>))}{' '}
          {(s.sources ?? []).map((id) => <Link key={id} className="cite" to="/records/$id" params={{ id }}>{a.sources?.find((x) => x.id === id)?.title ?? id}</Link>)}
          {(s.derived ?? []).map((d) => <span key={d} className="muted"> {dated(d)}</span>)}
        </p>
      ))}
      {(a.unsupported ?? []).map((u) => <p key={u.text + u.why} className="danger">Not supported by the records: {u.text}. {u.why}</p>)}
      {(a.notes ?? []).map((n) => <p key={n} className="muted">{n}</p>)}
      <ReadAs a={a} again={again} list={list} />
      {a.table && (
        <Table
          heads={a.table.columns ?? []}
          rows={(a.table.rows ?? []).map((r, i) => ({
            key: `${r.id ?? ''}${i}`, on: r.id ? rowOnce(r.id) : {},
            cells: (r.cells ?? []).map((cell, n) => {
              const to = n > 0 && r.filter ? list(r.filter) : undefined
              if (n === 0 && r.id) return <Link key={n} className="cite" to="/records/$id" params={{ id: r.id }}>{cell || r.id}</Link>
              return to && /^\d/.test(cell) ? <Link key={n} {...(to as object)} to="/tickets">{cell}</Link> : spans.test(cell) ? dated(cell) : cell
            }),
          }))}
        />
      )}
      {a.table && (a.table.total ?? 0) > (a.table.rows ?? []).length && <p className="muted">The first {(a.table.rows ?? []).length} of {a.table.total}.</p>}
      {others.length > 0 && <h3>Sources</h3>}
      <ul>
        {others.slice(0, 20).map((s) => (
          <li key={s.id} {...rowOnce(s.id)}><Link className="cite" to="/records/$id" params={{ id: s.id }}>{s.title}</Link> <span className="muted">{s.kind}</span></li>
        ))}
      </ul>
      {others.length > 20 && <p className="muted">and {(a.sourcesTotal ?? others.length) - 20} more.</p>}
    </>
  )
}

/** spans are the cells that are days, or first and last ones, and nothing else: those of a title stay as they are. */
const spans = /^(?:\d{4}-\d\d-\d\d(?: to |, )?)+$/

/** ReadAs shows the plan of a question, opens the list that it stands for, and computes it again over other records. */
function ReadAs({ a, again, list }: { a: Answer; again: (plan: AskPlan) => void; list: (filter: string) => never | undefined }) {
  const submit = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault()
    again({ ...a.plan, filter: String(new FormData(e.currentTarget).get('filter') ?? '').trim() })
  }
  const to = a.plan.filter && !a.plan.state ? list(a.plan.filter) : undefined // a state is in no list
  return (
    <>
      <p className="muted" data-testid="read-as">
        Read as: {dated(a.readAs)}. {to && <Link {...(to as object)} to="/tickets">Open the list</Link>}
      </p>
      {a.plan.kind && a.plan.filter !== undefined && (
        <form className="row" onSubmit={submit}>
          <input name="filter" key={a.plan.filter} defaultValue={a.plan.filter} aria-label="Filter of the plan" />
          <button type="submit">Compute again</button>
        </form>
      )}
      {(a.otherReadings ?? []).length > 0 && (
        <p className="muted">Or: {a.otherReadings?.map((o) => <button key={o.text} type="button" className="mr-2 px-2 py-0" onClick={() => again(o.plan)}>{o.text}</button>)}</p>
      )}
    </>
  )
}
