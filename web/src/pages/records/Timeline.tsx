import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must, type Schemas } from '../../api/client'
import { ops } from '../../lib/changes'
import { count } from '../../lib/count'
import type { Happened, Revised } from '../../lib/happened'
import { useMoment } from '../../lib/moment'
import type { useRows } from '../../lib/rows'
import { few, took, usd } from '../../lib/took'
import { moment } from '../../lib/when'
import { useWho } from '../../lib/who'
import { Agent } from '../../ui/Agent'
import { Fields } from '../../ui/Fields'
import { Person } from '../../ui/Person'
import { Sources } from '../../ui/Sources'
import { Status } from '../../ui/Status'
import { Found } from './Contract'
import { Said } from './Said'

type Row = ReturnType<typeof useRows>['row']
type Source = Schemas['DeskSource']

/** usual is how much of a long timeline is shown at first. */
export const usual = 12

/** Timeline is what became of a record, what agents did to it and what was said of it, the last first; at its end are the words that it came from. */
export function Timeline(p: { of: Happened[]; row: Row; may: boolean; sources: Source[]; onUndo: (h: Happened) => void; onReply: (id: string, to: string) => void; all: boolean; onAll: () => void }) {
  const shown = p.all ? p.of : p.of.slice(0, usual)
  return (
    <div>
      {shown.map((h) => {
        const { className, ...place } = p.row(h.key)
        return (
          <div key={h.key} {...place} data-testid="happened" className={`group border-b border-line px-2 py-1.5 ${className}`}>
            {h.kind === 'proof' && <Found of={h.proof} />}
            {h.kind === 'comment' && <Said of={h.comment} onReply={p.onReply} />}
            {h.kind === 'work' && <Work of={h} undo={p.may ? () => p.onUndo(h) : undefined} />}
            {h.kind === 'change' && <Change of={h.change} undo={p.may && h.change.op === 'updated' ? () => p.onUndo(h) : undefined} />}
          </div>
        )
      })}
      {p.of.length > shown.length && <p className="my-1!"><button type="button" className="plain text-link!" onClick={p.onAll}>{count(p.of.length - shown.length, 'older entr').replace(/entrs$/, 'entries').replace(/entr$/, 'entry')}</button></p>}
      <h3 className="mb-1!">Where it comes from</h3>
      <Sources of={p.sources} hint="No words were kept for this record." />
    </div>
  )
}

/** Acts are what can be done with a change: to see how it was then, and to take it back. */
function Acts(p: { at: string; undo: (() => void) | undefined }) {
  const { go, asOf } = useMoment()
  return (
    <span className="ml-auto flex shrink-0 gap-3 text-sm opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 group-aria-[current=true]:opacity-100">
      <button type="button" className="plain text-muted!" disabled={asOf === p.at} onClick={() => go({ asOf: p.at })}>as it was</button>
      {p.undo && <button type="button" className="plain text-muted!" onClick={p.undo}>undo <kbd>u</kbd></button>}
    </span>
  )
}

/** Change is what one event changed. */
function Change(p: { of: Revised; undo: (() => void) | undefined }) {
  const who = useWho()
  const op = ops[p.of.op] ?? { mark: '·', word: p.of.op, look: '' }
  return (
    <div className="flex flex-wrap items-baseline gap-x-3">
      <span className="inline-flex shrink-0 items-baseline @xl:w-[20ch]">{(p.of.by ?? []).some((by) => by.startsWith('agent:person/')) ? <Person name={(p.of.by ?? []).map(who).join(', ')} /> : <Agent name="chela" />}</span>
      <div className="min-w-0 flex-1 @max-xl:order-last @max-xl:basis-full">{p.of.op === 'updated' ? <Fields of={p.of.fields} /> : <span data-sign={op.mark} className={op.look}>{p.of.op === 'created' ? 'created it' : `${op.word} it`}</span>}</div>
      <Acts at={p.of.at} undo={p.undo} />
      <time dateTime={p.of.at} className="shrink-0 text-sm text-faint">{moment(p.of.at)}</time>
    </div>
  )
}

/** Work is what an agent did in one run: what became of the record, what it cost, how it ended, and the words that it rests on. */
function Work(p: { of: Extract<Happened, { kind: 'work' }>; undo: (() => void) | undefined }) {
  const { of } = p
  const run = useQuery({ queryKey: ['run', 'one', of.run], queryFn: () => must(api.GET('/api/runs/{id}', { params: { path: { id: of.run } } })), retry: false }).data
  const words = of.changes.flatMap((c) => (c.fields ?? []).filter((f) => f.field === 'sources').flatMap((f) => (Array.isArray(f.to) ? (f.to as Source[]) : []))).filter((s) => s.quote).slice(0, 3)
  const spent = run && [`${few(run.spend.calls)} calls`, `${few(run.spend.input_tokens + run.spend.output_tokens)} tokens`, `${usd(run.spend.cost_usd)} USD`]
  return (
    <div className="border-l-2 border-agent pl-3">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <Agent name={of.by} /> {run && <Status of={run.run.state} />}
        <Link to="/runs/$id" params={{ id: of.run }} className="min-w-0 truncate">{run?.run.title ?? 'the run'}</Link>
        <Acts at={of.at} undo={p.undo} />
        <time dateTime={of.at} className="ml-auto shrink-0 text-sm text-faint">{moment(of.at)}</time>
      </div>
      {of.changes.map((c) => <div key={c.eventId}>{c.op === 'updated' ? <Fields of={c.fields} most={6} /> : <span className={ops[c.op]?.look}>{c.op === 'created' ? 'created it' : `${ops[c.op]?.word ?? c.op} it`}</span>}</div>)}
      {spent && <p className="m-0! text-sm text-muted">{[...spent, run.run.ended_at ? took(Date.parse(run.run.ended_at) - Date.parse(run.run.created_at)) : ''].filter(Boolean).join(' · ')}</p>}
      <Sources of={words} />
    </div>
  )
}
