import { useState } from 'react'
import type { Schemas } from '../../api/client'
import { recent } from '../../lib/when'
import { Question } from '../../ui/Question'
import { Touched } from '../../ui/Touched'
import { Event } from '../log/Event'
import type { Span } from './tree'

/** SpanDetail shows all that is known of a step: arguments and results, tokens, why an agent was chosen, and the event itself. */
export function SpanDetail(p: { of: Span; approvals: Schemas['ApprovalApproval'][]; onFork?: (() => void) | undefined }) {
  const s = p.of
  const [whole, setWhole] = useState(false)
  const asked = p.approvals.find((a) => a.id === s.id)
  return (
    <div className="my-1 ml-6 border-l-2 border-line pl-3">
      {s.answer && <Facts of={model(s.answer)} />}
      {s.call && <Facts of={[['risk', s.call.risk ?? ''], ['allowed by', s.call.rule ?? ''], ['from', (s.call.from ?? []).join(', ')]]} />}
      {s.call?.args !== undefined && <><h4 className="m-0 text-muted">Arguments</h4><pre className="text-text!">{JSON.stringify(s.call.args, null, 2)}</pre></>}
      {s.routing && <Chosen of={s.routing} />}
      {asked && asked.status !== 'pending' && <Question question={asked} busy={false} onAnswer={() => undefined} />}
      {s.text && <><h4 className="m-0 text-muted">{heading(s)}</h4><pre className="max-h-[40vh] overflow-auto text-text!">{s.text}</pre></>}
      {s.call?.changed && <Touched of={s.call.changed} />}
      {s.call?.rest && <p><a href={`/api/artifacts/${s.call.rest}`}>The whole result</a></p>}
      <div className="row">
        <span className="text-muted">{recent(s.at)}</span>
        {p.onFork && <button type="button" className="px-2 py-0" onClick={p.onFork}>Fork after this step <kbd>f</kbd></button>}
        <button type="button" className="px-2 py-0" aria-expanded={whole} onClick={() => setWhole(!whole)}>Event {s.seq}, as it is recorded</button>
      </div>
      {whole && <Event seq={s.seq} />}
    </div>
  )
}

/** heading says what the text of a span is. */
function heading(s: Span): string {
  switch (s.kind) {
    case 'tool':
      return s.state === 'failed' ? 'Error' : 'Result'
    case 'model':
      return 'Said'
    case 'routing':
      return 'Reason'
    default:
      return s.kind === 'message' ? 'Message' : 'What came of it'
  }
}

const model = (a: Schemas['TraceAnswer']): [string, string][] => [
  ['provider', a.provider], ['model', a.model], ['tokens in', `${a.input_tokens}${a.cached_tokens ? `, ${a.cached_tokens} of them from the cache` : ''}`], ['tokens out', String(a.output_tokens)],
  ['USD', a.cost_known ? a.cost_usd.toFixed(6) : 'the price is not known'], ['asked', (a.attempts ?? 1) > 1 ? `${a.attempts} times` : ''], ['tools asked for', a.calls > 0 ? String(a.calls) : ''], ['ended with', a.stop],
]

function Facts({ of }: { of: [string, string][] }) {
  return <p className="flex flex-wrap gap-x-5">{of.filter(([, v]) => v !== '').map(([k, v]) => <span key={k}><span className="text-muted">{k}</span> {v}</span>)}</p>
}

/** Chosen explains a routing decision: who made it, by what, and why the others were not taken. */
function Chosen({ of }: { of: Schemas['TraceSelection'] }) {
  return (
    <div>
      <p>
        {of.by === 'model' ? 'The controller, a model, named the agent; the rules checked that it may take it.' : 'The rules chose: who has every capability asked for, then by score.'}
        {(of.requires ?? []).length > 0 && <> Asked for: {(of.requires ?? []).join(', ')}.</>}
      </p>
      <table>
        <thead><tr><th>Agent</th><th>Score</th><th>Why not</th></tr></thead>
        <tbody>
          {of.agents.map((a) => (
            <tr key={a.agent} className={a.agent === of.selected ? 'text-agent' : a.fits ? '' : 'text-muted'}>
              <td data-head="Agent">{a.agent}{a.agent === of.selected && ' ✓'}</td><td data-head="Score" className="tabular-nums">{a.fits ? a.score.toFixed(3) : 'does not fit'}</td><td data-head="Why not">{a.why}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
