import type { Axis } from '../../lib/axis'
import { few, took, usd } from '../../lib/took'
import { Status } from '../../ui/Status'
import type { Branch, Span } from './tree'

/** signs and names of the sorts of spans, for eyes and for readers. */
const kinds: { [kind in Span['kind']]: [string, string] } = {
  task: ['▣', 'task'], model: ['◆', 'model call'], tool: ['⚒', 'tool call'], routing: ['⇢', 'routing decision'], approval: ['?', 'question'], wait: ['‖', 'wait'],
  phase: ['▸', 'phase'], message: ['❝', 'message'], note: ['·', 'note'],
}

/** colors of the bars, by kind; what failed is red whatever it is. */
const colors: { [kind in Span['kind']]?: string } = { task: 'bg-line', model: 'bg-agent', tool: 'bg-link', phase: 'bg-live', approval: 'border border-dashed border-warn', wait: 'border border-dashed border-muted' }

const indent = 1.1 // rem for each level

/** SpanRow is one line of the tree: what it is, its bar, how long it took and what it cost. */
export function SpanRow(p: { of: Branch; line: Axis; cost: { tokens: number; usd: number; unpriced: number } | undefined; open: boolean; onFold: () => void; onOpen: () => void }) {
  const { span: s, depth, within } = p.of
  const [sign, word] = kinds[s.kind]
  const instant = s.kind === 'message' || s.kind === 'note' || s.kind === 'routing'
  const first = s.text?.split('\n').find((l) => l.trim() !== '')
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on the row does the same
    // biome-ignore lint/a11y/noStaticElementInteractions: the row is the tree's item
    <div onClick={p.onOpen} className="cursor-pointer py-px @3xl:grid @3xl:grid-cols-[minmax(0,5fr)_minmax(0,6fr)_8ch_7ch_9ch] @3xl:items-center @3xl:gap-x-2">
      <span className="flex min-w-0 items-baseline gap-[.9ch]" style={{ paddingLeft: `${depth * indent}rem` }}>
        {within > 0
          ? <button type="button" tabIndex={-1} className="plain w-[1.5ch] shrink-0 text-muted!" aria-label={p.of.open ? 'Hide what is within' : 'Show what is within'} onClick={(e) => { e.stopPropagation(); p.onFold() }}>{p.of.open ? '▾' : '▸'}</button>
          : <span className="w-[1.5ch] shrink-0" />}
        <span aria-hidden="true" className={`w-[2ch] shrink-0 text-center ${s.kind === 'model' ? 'text-agent' : s.kind === 'tool' ? 'text-link' : 'text-muted'}`}>{sign}</span>
        <span className="sr-only">{word}</span>
        {s.agent && s.kind !== 'tool' && <b className="shrink-0 font-normal text-agent">{who(s)}</b>}
        <span className={s.kind === 'task' ? 'line-clamp-1 font-bold break-all' : 'shrink-0'}>{s.kind === 'message' ? '' : s.name}</span>
        {s.state !== 'done' && <Status of={s.state} short />}
        {first && <span className="line-clamp-1 flex-1 basis-[20ch] break-all text-muted">{first}</span>}
      </span>
      <span className={`relative my-1 h-[.85em] @3xl:my-0 @3xl:block ${instant ? 'hidden' : 'block'}`} aria-hidden="true">
        {p.line.gaps.map((g) => <span key={g.from} className="absolute inset-y-[-.35em] border-x border-dotted border-line" style={{ left: `${g.from * 100}%`, width: `${(g.to - g.from) * 100}%` }} />)}
        {instant
          ? <span className={`absolute top-[.15em] size-[.55em] rotate-45 ${s.state === 'failed' ? 'bg-danger' : 'bg-muted'}`} style={{ left: `min(${p.line.x(s.start_ms) * 100}%, 100% - .6em)` }} />
          : <Bar of={s} line={p.line} />}
      </span>
      <span className="flex gap-3 pl-[3.5ch] text-muted tabular-nums @3xl:contents">
        <span className="@3xl:text-right">{instant ? '' : took(s.ms)}</span>
        <span className="@3xl:text-right">{p.cost ? few(p.cost.tokens) : ''}<span className="@3xl:hidden">{p.cost ? ' tokens' : ''}</span></span>
        <span className="@3xl:text-right">{p.cost ? (p.cost.usd === 0 && p.cost.unpriced > 0 ? '?' : usd(p.cost.usd)) : ''}<span className="@3xl:hidden">{p.cost ? ' USD' : ''}</span></span>
      </span>
    </div>
  )
}

const who = (s: Span) => (s.agent?.startsWith('person/') ? 'a person' : s.agent)

function Bar({ of: s, line }: { of: Span; line: Axis }) {
  const from = line.x(s.start_ms)
  const wide = Math.max(line.x(s.start_ms + s.ms) - from, 0)
  const open = s.state === 'running' || s.state === 'waiting'
  const color = s.state === 'failed' && s.kind !== 'task' ? 'bg-danger' : s.state === 'failed' ? 'bg-danger/50' : (colors[s.kind] ?? 'bg-line')
  return <span className={`absolute inset-y-0 min-w-[3px] ${s.kind === 'task' ? 'inset-y-[.3em]!' : ''} ${color} ${open ? 'motion-safe:animate-pulse' : ''}`} style={{ left: `min(${from * 100}%, 100% - 3px)`, width: `${wide * 100}%` }} />
}
