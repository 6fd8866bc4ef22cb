import { Handle, type NodeProps, Position } from '@xyflow/react'
import { memo, useEffect, useReducer } from 'react'
import type { Step } from '../../lib/graph'
import type { Way } from '../../lib/layout'
import type { Sum } from '../../lib/standing'
import { few, took, usd } from '../../lib/took'
import { Status } from '../../ui/Status'
import { kindOf } from './kinds'

/** StepData is what a step shows; now is the moment until which it is shown, in milliseconds, 0 while it goes on; joins says whether it can be connected. */
export type StepData = { step: Step; sum: Sum | undefined; now: number; way: Way; group: boolean; joins: boolean; findings: string[] }

/** StepNode is one step on the canvas: what it is and does, where it stands, what it took and what was found. One with others in it is their frame. */
export const StepNode = memo(function StepNode({ data }: NodeProps & { data: StepData }) {
  const { step, sum, group, findings } = data
  const { sign, colour } = kindOf(step.kind)
  const failed = sum?.state === 'failed' || findings.length > 0
  return (
    <div className={`size-full overflow-hidden border px-2 py-1 ${group ? 'border-dashed bg-transparent' : 'bg-panel'} ${failed ? 'border-danger' : sum?.state === 'waiting' ? 'border-warn' : sum?.state === 'started' ? 'border-live' : 'border-faint'}`}>
      <p className="m-0! flex items-baseline gap-[.7ch] leading-[1.35]">
        <span aria-hidden="true" className={colour}>{sign}</span>
        <b className="min-w-0 flex-1 truncate">{step.title || idOf(step)}</b>
        {findings.length > 0 && <span className="danger" data-sign="✗">{findings.length}<span className="sr-only"> {findings.join(' ')}</span></span>}
        {sum && <Status of={sum.state} more={sum.runs > 1 ? `${sum.done} of ${sum.runs}` : undefined} />}
      </p>
      <p className="m-0! truncate text-sm leading-[1.35] text-muted">{step.kind}: {step.does}</p>
      <p className="m-0! flex gap-x-[1.5ch] truncate text-xs leading-[1.4] text-faint">
        {sum ? <Took of={sum} now={data.now} /> : <Asks of={step} />}
      </p>
      {data.joins && <Handles of={step} way={data.way} />}
    </div>
  )
})

/** idOf is the id of a step, the last of its path. */
export const idOf = (s: Step) => s.path.slice(s.path.lastIndexOf('.') + 1)

/** Asks says what a step demands before it counts. */
function Asks({ of }: { of: Step }) {
  return (
    <>
      <span className="truncate">{idOf(of)}</span>
      {of.when && <span className="truncate">when {of.when}</span>}
      {of.reviewed && <span>reviewed</span>}
      {of.contract.length > 0 && <span>{of.contract.length === 1 ? '1 condition' : `${of.contract.length} conditions`}</span>}
    </>
  )
}

/** Took says how long a step took until now, what it cost, and what was found of its contract; the time of one under way goes on. */
function Took({ of: s, now }: { of: Sum; now: number }) {
  const [, tick] = useReducer((n: number) => n + 1, 0)
  const goes = now === 0 && s.ended === '' && s.began !== ''
  useEffect(() => {
    if (!goes) return
    const timer = setInterval(tick, 1_000)
    return () => clearInterval(timer)
  }, [goes])
  const ms = Date.parse(s.ended || new Date(now || Date.now()).toISOString()) - Date.parse(s.began)
  const over = s.state === 'skipped' || s.state === 'passed'
  return (
    <>
      {!over && ms >= 0 && <span>{took(ms)}</span>}
      {s.tokens > 0 && <span>{usd(s.usd)} USD, {few(s.tokens)} tokens</span>}
      {s.attempt > 1 && <span>try {s.attempt}</span>}
      {s.review && <span>review: {s.review}</span>}
      {s.checked > 0 && <span className={s.met < s.checked ? 'text-danger' : 'text-up'}>{s.met} of {s.checked} met</span>}
    </>
  )
}

/** Handles are where edges begin and end: one for each outcome of a branch. */
function Handles({ of, way }: { of: Step; way: Way }) {
  const [into, from] = way === 'right' ? [Position.Left, Position.Right] : [Position.Top, Position.Bottom]
  const at = (i: number, n: number) => ({ [way === 'right' ? 'top' : 'left']: `${((i + 1) * 100) / (n + 1)}%` })
  return (
    <>
      <Handle type="target" position={into} />
      {of.cases.length === 0 && <Handle type="source" position={from} />}
      {of.cases.map((c, i) => <Handle key={c} id={c} type="source" position={from} style={at(i, of.cases.length)} title={c} />)}
      <Handle id="error" type="source" position={way === 'right' ? Position.Bottom : Position.Right} title="when it fails" />
    </>
  )
}
