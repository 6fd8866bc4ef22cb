import { useState } from 'react'
import type { Schemas } from '../api/client'

type Asked = NonNullable<Schemas['ApprovalApproval']['calls']>[number]

/** Diff shows a unified diff, line by line. */
function Diff({ text }: { text: string }) {
  const kind = (line: string) => (line.startsWith('+') ? 'good' : line.startsWith('-') ? 'bad' : 'muted')
  return <pre className="diff">{text.split('\n').map((line, i) => <span key={i} className={kind(line)}>{line}{'\n'}</span>)}</pre>
}

function Call({ call, chosen, onChosen }: { call: Asked; chosen: boolean; onChosen?: (yes: boolean) => void }) {
  return (
    <div className="asked">
      <p>
        {onChosen && <input type="checkbox" aria-label={`Include ${call.tool} ${call.call}`} checked={chosen} onChange={(e) => onChosen(e.target.checked)} />}
        <b>{call.agent.replace('agent:', '')}</b> {call.tool} <span className="muted">{call.risk} in {call.folder ?? 'no folder'}</span>
      </p>
      <pre>{call.shown}</pre>
      <p className="muted">{call.why}</p>
      {(call.notes ?? []).map((n) => <p key={n} className="bad">{n}</p>)}
      {call.diff && <Diff text={call.diff} />}
      <details><summary>Exact arguments</summary><pre>{JSON.stringify(call.args, null, 2)}</pre></details>
      {call.shape && <p className="muted">Always would allow: <code>{call.shape}</code></p>}
    </div>
  )
}

/** Question shows what a run asks a person, with exactly what would be done. */
export function Question({ question, busy, onAnswer }: { question: Schemas['ApprovalApproval']; busy: boolean; onAnswer: (a: Schemas['AnswerBody']) => void }) {
  const calls = question.calls ?? []
  const [left, setLeft] = useState<string[]>([])
  const [note, setNote] = useState('')
  const give = (choice: string) => {
    const answer: Schemas['AnswerBody'] = { choice }
    if (question.digest) answer.digest = question.digest
    if (note) answer.note = note
    if (left.length > 0 && choice !== 'deny') answer.calls = calls.map((c) => c.call).filter((c) => !left.includes(c))
    onAnswer(answer)
  }
  return (
    <article className="card" data-testid="question">
      <p>{question.question} {question.until && <span className="muted">To be answered until {new Date(question.until).toLocaleString()}.</span>}</p>
      {question.note && <p className="bad">A hook notes: {question.note}</p>}
      {calls.length === 0 && <pre>{question.tool} {question.detail}</pre>}
      {calls.map((c) => (
        <Call
          key={c.call} call={c} chosen={!left.includes(c.call)}
          {...(calls.length > 1 ? { onChosen: (yes: boolean) => setLeft(yes ? left.filter((l) => l !== c.call) : [...left, c.call]) } : {})}
        />
      ))}
      {question.status === 'pending'
        ? (
          <div className="row">
            {(calls.length > 0 || question.sort === 'look_up') && <input aria-label="Note" placeholder={calls.length > 0 ? 'Why (the agent is told it with a denial)' : 'What you found'} value={note} onChange={(e) => setNote(e.target.value)} />}
            {(question.choices ?? []).map((c) => (
              <button type="button" key={c} disabled={busy || (c !== 'deny' && calls.length > 0 && left.length === calls.length)} onClick={() => give(c)}>{c}</button>
            ))}
          </div>
        )
        : <p className="muted">{question.status}{question.answer ? `: ${question.answer.choice} ${question.answer.note ?? ''}` : ''}</p>}
    </article>
  )
}
