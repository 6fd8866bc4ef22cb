import { useMemo, useState } from 'react'
import type { Schemas } from '../../api/client'
import { useNarrow } from '../../frame/narrow'
import { axis } from '../../lib/axis'
import { useCalm } from '../../lib/calm'
import { useKeys } from '../../lib/pane'
import { useRows } from '../../lib/rows'
import { took } from '../../lib/took'
import { Foot } from '../../ui/Foot'
import { LongList } from '../../ui/LongList'
import { Markdown } from '../../ui/Markdown'
import { SpanDetail } from './SpanDetail'
import { SpanRow } from './SpanRow'
import { branches, type Span, sums } from './tree'

/** worked says whether a span is work, and not a wait or what only holds others. */
const worked = (s: Span) => s.kind === 'model' || s.kind === 'tool' || s.kind === 'phase'

/** TraceTree shows the spans of a run as a tree, each with a bar on the run's axis of time. */
export function TraceTree({ of, onFork }: { of: Schemas['TraceOut']; onFork?: ((from: Span) => void) | undefined }) {
  const { spans, ms } = of.trace
  const [closed, setClosed] = useState<string[]>([])
  const [shown, setShown] = useState<string[]>([])
  const [folded, setFolded] = useState(true)
  const rows = useMemo(() => branches(spans, closed), [spans, closed])
  const cost = useMemo(() => sums(spans), [spans])
  const line = useMemo(() => axis(ms, spans.filter(worked), folded), [ms, spans, folded])
  const ids = rows.map((r) => r.span.id)
  const toggle = (list: string[], id: string) => (list.includes(id) ? list.filter((x) => x !== id) : [...list, id])
  const find = (id: string) => rows.find((r) => r.span.id === id)
  const fork = (id: string) => {
    const b = find(id)
    if (b && onFork && b.span.seq >= of.run.seq) onFork(b.span)
  }
  const { row: place, at } = useRows(ids, {
    Enter: { does: 'open the step, or close it', act: (id) => setShown((s) => toggle(s, id)) },
    'ArrowLeft h': { does: 'hide what is within', act: (id) => setClosed((c) => ((find(id)?.within ?? 0) > 0 && !c.includes(id) ? [...c, id] : c)) },
    'ArrowRight l': { does: 'show what is within', act: (id) => setClosed((c) => c.filter((x) => x !== id)) },
    ...(onFork ? { f: { does: 'fork the run after this step', act: fork } } : {}),
  })
  const near = useCalm(at)
  const chosen = find(near)?.span
  const narrow = useNarrow()
  useKeys([
    { key: 'z', does: folded ? 'show the waits at their length' : 'fold the waits', act: () => setFolded(!folded) },
    { key: 'o', does: 'open all steps, or close all', act: () => setShown(shown.length > 0 ? [] : ids) },
  ])
  return (
    <div>
      <div className="sticky top-0 z-1 hidden border-b border-line bg-bg text-muted @3xl:grid @3xl:grid-cols-[minmax(0,5fr)_minmax(0,6fr)_8ch_7ch_9ch] @3xl:gap-x-2" aria-hidden="true">
        <span>step</span>
        <span className="relative h-[1.5em]">
          {line.ticks.map((t) => <span key={t.ms} className="absolute border-l border-line pl-1 text-xs" style={{ left: `${t.at * 100}%` }}>{t.ms === 0 ? '0' : took(t.ms)}</span>)}
        </span>
        <span className="text-right">took</span><span className="text-right">tokens</span><span className="text-right">USD</span>
      </div>
      <LongList
        label="Steps of the run" role="tree" rowRole="treeitem" count={rows.length} rowKey={(i) => ids[i] ?? ''} place={place}
        about={(i) => {
          const r = rows[i]
          return r ? { 'aria-level': r.depth + 1, ...(r.within > 0 ? { 'aria-expanded': r.open } : {}), className: 'border-b border-line/40' } : {}
        }}
        row={(i) => {
          const r = rows[i]
          if (!r) return null
          const open = shown.includes(r.span.id)
          return (
            <>
              <SpanRow
                of={r} line={line} cost={cost.get(r.span.id)} open={open}
                onFold={() => setClosed((c) => toggle(c, r.span.id))} onOpen={() => setShown((s) => toggle(s, r.span.id))}
              />
              {open && <SpanDetail of={r.span} approvals={of.approvals} onFork={onFork && r.span.seq >= of.run.seq ? () => onFork(r.span) : undefined} />}
            </>
          )
        }}
      />
      {chosen && !narrow && !shown.includes(near) && (
        <Foot name="The chosen step">
          <h3 className="mt-0!">{chosen.name} <span className="font-normal text-muted">{chosen.kind}</span></h3>
          {chosen.kind === 'task' && <Came of={spans} task={chosen.id} />}
          <SpanDetail of={chosen} approvals={of.approvals} onFork={onFork && chosen.seq >= of.run.seq ? () => onFork(chosen) : undefined} />
        </Foot>
      )}
      <p className="text-muted">
        <kbd>j k</kbd> move <kbd>Enter</kbd> open <kbd>← →</kbd> fold {onFork && <><kbd>f</kbd> fork here </>}
        {(line.gaps.length > 0 || !folded) && <button type="button" className="plain" onClick={() => setFolded(!folded)}><kbd>z</kbd> {folded ? `waits are folded: ${line.gaps.map((g) => took(g.ms)).join(', ')}` : 'fold the waits'}</button>}
      </p>
    </div>
  )
}

/** Came is what was said last within a task: what it came to, or what it still asks. */
function Came({ of, task }: { of: Span[]; task: string }) {
  const said = of.findLast((s) => s.kind === 'message' && s.parent === task)
  return said?.text ? <Markdown text={said.text} /> : null
}
