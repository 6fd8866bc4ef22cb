import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { api, must, type Schemas } from '../../api/client'
import type { Step } from '../../lib/graph'
import type { Standing } from '../../lib/standing'
import { few, took, usd } from '../../lib/took'
import { recent } from '../../lib/when'
import { Icon } from '../../ui/Icon'
import { State } from '../../ui/State'
import { Status } from '../../ui/Status'
import { Asked } from '../approvals/Asked'
import { SpanDetail } from '../runs/SpanDetail'
import { kindOf } from './kinds'
import { within } from './messages'
import { idOf } from './StepNode'

/** StepPanel shows a step of an instance: where it stands, what was found, its question, and its messages. past says that an earlier moment is shown, in milliseconds. */
export function StepPanel(p: { of: Step; run: string; runs: Standing[]; steps: Schemas['LibraryStanding'][]; past: number; onClose: () => void }) {
  const { of } = p
  const [at, setAt] = useState('')
  const one = p.runs.find((s) => s.path === at) ?? p.runs.find((s) => s.state === 'waiting' || s.state === 'failed') ?? p.runs[0]
  const box = useRef<HTMLElement>(null)
  useEffect(() => void box.current?.focus(), [])
  const { sign, colour, is } = kindOf(of.kind)
  const output = one?.state === 'done' ? p.steps.find((s) => s.path === one.path)?.output : undefined
  return (
    <aside ref={box} tabIndex={-1} aria-label={`Step ${of.path}`} className="min-h-0 min-w-0 overflow-y-auto border border-line bg-panel px-3 py-2 outline-none!">
      <h3 className="m-0! flex items-baseline gap-2">
        <span aria-hidden="true" className={colour}>{sign}</span>
        <span className="min-w-0 flex-1 text-strong">{of.title || idOf(of)}</span>
        {one && <Status of={one.state} />}
        <button type="button" className="plain self-center" aria-label="Close the step" onClick={p.onClose}><Icon of="close" /></button>
      </h3>
      <p className="text-muted">{is}{of.does && <>: <span className="text-text">{of.does}</span></>} <code className="text-faint">{of.path}, line {of.line}</code></p>
      {p.runs.length > 1 && (
        <label className="row">Which of {p.runs.length}
          <select value={one?.path} onChange={(e) => setAt(e.target.value)}>{p.runs.map((s) => <option key={s.path} value={s.path}>{s.path}: {s.state}</option>)}</select>
        </label>
      )}
      {!one && <p>It has not begun.</p>}
      {one && <Stands of={one} past={p.past} />}
      {one && <Messages run={p.run} of={one} past={p.past} />}
      {output !== undefined && output !== null && <><h4 className="mb-0!">What it gave</h4><pre className="max-h-[40vh] overflow-auto text-text!">{typeof output === 'string' ? output : JSON.stringify(output, null, 2)}</pre></>}
    </aside>
  )
}

/** Stands says since when a step stands where it does, and why, and what was found of its contract. */
function Stands({ of: s, past }: { of: Standing; past: number }) {
  const ms = (s.ended ? Date.parse(s.ended) : past || Date.now()) - Date.parse(s.began)
  return (
    <>
      <p className="flex flex-wrap gap-x-4">
        <span><span className="text-muted">began</span> {recent(s.began)}</span><span><span className="text-muted">took</span> {took(ms)}</span>
        {s.attempt > 1 && <span><span className="text-muted">try</span> {s.attempt}</span>}
        {s.tokens > 0 && <span><span className="text-muted">cost</span> {usd(s.usd)} USD, {few(s.tokens)} tokens</span>}
        {s.review && <span><span className="text-muted">review</span> {s.review}</span>}
      </p>
      {s.says && <p className={s.state === 'failed' ? 'danger' : ''}>{s.says}</p>}
      {s.found.length > 0 && (
        <>
          <h4 className="mb-0!">Evidence</h4>
          <ul className="items">{s.found.map((f) => <li key={f.condition}><span data-sign={f.met ? '✓' : '✗'} className={f.met ? 'text-up' : 'text-danger'}>{f.met ? 'met' : 'not met'}</span> {f.condition}{f.detail && <span className="text-muted"> {f.detail}</span>}</li>)}</ul>
        </>
      )}
    </>
  )
}

/** Messages are what agents, models and tools said in a step until a moment, and what it asks a person. */
function Messages({ run, of, past }: { run: string; of: Standing; past: number }) {
  const q = useQuery({ queryKey: ['instance', 'trace', run], queryFn: () => must(api.GET('/api/runs/{id}/trace', { params: { path: { id: run } } })) })
  const t = q.data
  const spans = t ? within(t.trace.spans, of.path, past) : []
  const asked = past === 0 ? (t?.approvals ?? []).filter((a) => a.status === 'pending' && keyOf(a.step ?? '') === of.path) : []
  return (
    <State pending={q.isPending} error={q.error}>
      {asked.map((a) => <Asked key={a.id} question={a} chosen />)}
      {spans.length > 0 && <h4 className="mb-0!">Messages</h4>}
      {spans.map((s) => (
        <details key={s.id} className="border-b border-line py-0.5">
          <summary className="cursor-pointer truncate"><span className={s.kind === 'model' ? 'text-agent' : 'text-muted'}>{s.kind === 'model' ? (s.agent ?? s.name) : s.name}</span> {s.state !== 'done' && <Status of={s.state} short />} <span className="text-faint">{took(s.ms)}</span> <span className="text-muted">{s.text?.split('\n').find((l) => l.trim() !== '')}</span></summary>
          <SpanDetail of={s} approvals={t?.approvals ?? []} />
        </details>
      ))}
      <p><Link to="/runs/$id" params={{ id: run }}>All of its run</Link></p>
    </State>
  )
}

/** keyOf is the path of the step that a question was put in: of wait/ask#1 and verdict/write#2~1/0. */
const keyOf = (key: string) => /^(?:wait|verdict)\/(.*)#\d+(~\d+)?(\/\d+)?$/.exec(key)?.[1] ?? ''
