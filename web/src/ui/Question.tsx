import { useRef, useState } from 'react'
import type { Schemas } from '../api/client'
import { useKeys } from '../lib/pane'
import { recent } from '../lib/when'
import { Diff } from './Diff'
import { defaults, Elicitation, missing } from './Elicitation'

type Asked = NonNullable<Schemas['ApprovalApproval']['calls']>[number]

/** choiceKeys are the keys of the choices. */
const choiceKeys: { [choice: string]: string } = { approve: 'a', always: 'A', deny: 'd', happened: 'h', repeat: 'r', skip: 's', found: 'f', raise: 'r', stop: 's', decline: 'd', cancel: 'c' }

/** meant says what a choice does, for the list of keys. */
const meant: { [choice: string]: string } = { always: 'approve, and do not ask again about exactly this', happened: 'it happened', repeat: 'do it again', skip: 'go on without it', found: 'answer with the note', raise: 'let it go over the limit once', stop: 'stop it', accept: 'send what is filled in', decline: 'say no to the server', cancel: 'close it, and say neither' }

function Call({ call, number, chosen, onChosen }: { call: Asked; number: number; chosen: boolean; onChosen?: (yes: boolean) => void }) {
  return (
    <div className="asked">
      <p className="flex flex-wrap items-baseline gap-x-2">
        {onChosen && <input type="checkbox" aria-label={`Include ${call.tool} ${call.call}`} checked={chosen} onChange={(e) => onChosen(e.target.checked)} />}
        {onChosen && number < 10 && <kbd>{number}</kbd>}
        <b>{call.agent.replace('agent:', '')}</b> <span className="text-strong">{call.tool}</span> <span className="muted">{call.risk} in {call.folder ?? 'no folder'}</span>
      </p>
      <pre className="text-text!">{call.shown}</pre>
      <p className="muted">{call.why}</p>
      {(call.notes ?? []).map((n) => <p key={n} className="danger">{n}</p>)}
      {call.diff && <Diff text={call.diff} of={`${call.tool} ${call.call}`} />}
      <details><summary>Exact arguments</summary><pre>{JSON.stringify(call.args, null, 2)}</pre></details>
      {call.shape && <p className="muted">Always would allow: <code>{call.shape}</code></p>}
    </div>
  )
}

/**
 * Question shows what a run asks a person, with exactly what would be done. While it is
 * chosen, keys answer it: a approve, d deny, A always, n writes the note, a number leaves a
 * call out.
 */
export function Question(p: {
  question: Schemas['ApprovalApproval']
  busy: boolean
  onAnswer: (a: Schemas['AnswerBody']) => void
  chosen?: boolean
  refused?: string | undefined
  by?: string | undefined
}) {
  const { question, busy } = p
  const calls = question.calls ?? []
  const open = question.status === 'pending'
  const [left, setLeft] = useState<string[]>([])
  const [note, setNote] = useState('')
  const [values, setValues] = useState(() => (question.form ? defaults(question.form) : {}))
  const field = useRef<HTMLInputElement>(null)
  const decides = question.kind === 'decision'
  const noted = calls.length > 0 || question.kind === 'look_up' || decides
  const may = (c: string) => !busy && !(c === 'approve' && question.reasons && note.trim() === '') && !(c === 'accept' && question.form && missing(question.form, values)) && !(c !== 'deny' && calls.length > 0 && left.length === calls.length)
  const give = (choice: string) => {
    if (!may(choice)) return
    const answer: Schemas['AnswerBody'] = { choice }
    if (question.digest) answer.digest = question.digest
    if (note) answer.note = note
    if (question.form && choice === 'accept') answer.values = values
    if (left.length > 0 && choice !== 'deny') answer.calls = calls.map((c) => c.call).filter((c) => !left.includes(c))
    p.onAnswer(answer)
  }
  const include = (call: string, yes: boolean) => setLeft((l) => (yes ? l.filter((x) => x !== call) : [...l, call]))
  const keys = open && p.chosen
    ? [
      ...(question.choices ?? []).flatMap((c) => (choiceKeys[c] ? [{ key: choiceKeys[c], does: meant[c] ?? c, act: () => give(c) }] : [])),
      ...(noted ? [{ key: 'n', does: 'write the note', act: () => field.current?.focus() }] : []),
      ...(calls.length > 1 ? calls.slice(0, 9).map((c, i) => ({ key: String(i + 1), does: `leave out ${c.tool}, or include it`, act: () => include(c.call, left.includes(c.call)) })) : []),
    ]
    : []
  useKeys(keys)
  const hint = calls.length > 0 ? 'Why (the agent is told it with a denial)' : !decides ? 'What you found' : question.reasons ? 'Why (it is passed with reasons alone)' : 'Why'
  return (
    <article className="card" data-testid="question" aria-busy={busy}>
      <p>{question.question} {question.until && open && <span className="muted">To be answered until {recent(question.until)}.</span>}</p>
      {question.note && <p className="danger">A hook notes: {question.note}</p>}
      {question.form && <Elicitation form={question.form} server={question.server ?? 'the server'} values={values} onChange={open ? setValues : undefined} />}
      {!question.form && calls.length === 0 && question.tool && <pre className="text-text!">{question.tool} {question.detail}</pre>}
      {decides && question.detail && <pre className="text-text!">{question.detail}</pre>}
      {calls.map((c, i) => (
        <Call key={c.call} call={c} number={i + 1} chosen={!left.includes(c.call)} {...(calls.length > 1 && open ? { onChosen: (yes: boolean) => include(c.call, yes) } : {})} />
      ))}
      {open
        ? (
          <div className="row mb-0!">
            {noted && (
              <input
                ref={field} aria-label="Note" placeholder={hint} value={note} onChange={(e) => setNote(e.target.value)}
              />
            )}
            {(question.choices ?? []).map((c) => (
              <button type="button" key={c} disabled={!may(c)} onClick={() => give(c)}>{c} {p.chosen && choiceKeys[c] && <kbd>{choiceKeys[c]}</kbd>}</button>
            ))}
            {noted && p.chosen && <span className="text-muted"><kbd>n</kbd> note</span>}
          </div>
        )
        : <p className="muted">{question.status}{question.answer ? `: ${question.answer.choice} ${question.answer.note ?? ''}` : ''}{p.by ? ` by ${p.by}` : ''}{question.ended_at ? `, ${recent(question.ended_at)}` : ''}</p>}
      {p.refused && <p className="danger" role="alert">{p.refused}</p>}
    </article>
  )
}
