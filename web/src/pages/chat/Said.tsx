import { Link } from '@tanstack/react-router'
import { memo, type ReactNode } from 'react'
import type { Message } from '../../lib/talk'
import { clock } from '../../lib/when'
import { Avatar } from '../../ui/Avatar'
import { Markdown } from '../../ui/Markdown'

const kept = /^artifact:[0-9a-f]{64}$/

/** Spoken is what somebody says, beside who says it; one that follows another of the same sender has only its words. */
export function Spoken(p: { name: string; agent: boolean; at?: string; follows?: boolean; note?: ReactNode; children: ReactNode; testid?: string }) {
  return (
    <article aria-label={p.name} className={`group grid grid-cols-[2rem_minmax(0,1fr)] gap-x-3 px-3 hover:bg-panel ${p.follows ? 'py-0' : 'pt-1.5'}`} data-testid={p.testid ?? 'message'} data-role={p.agent ? 'agent' : 'person'}>
      {p.follows
        ? <span className="pt-1 text-center text-xs text-muted opacity-0 group-hover:opacity-100">{p.at && clock(p.at)}</span>
        : <Avatar name={p.name} agent={p.agent} />}
      <div className="min-w-0">
        {!p.follows && <p className="m-0! flex flex-wrap items-baseline gap-x-2"><b className={p.agent ? 'text-agent' : 'text-person'}>{p.name}</b>{p.at && <time dateTime={p.at} className="text-xs text-muted">{clock(p.at)}</time>}{p.note}</p>}
        {p.children}
      </div>
    </article>
  )
}

/** Reactions are what people think of a message, by signs. */
function Reactions({ of: m }: { of: Message }) {
  const all = (m.reactions ?? []).map((r) => r.sign)
  if (all.length === 0) return null
  return (
    <p className="my-1! flex flex-wrap gap-1" data-testid="reactions">
      {[...new Set(all)].map((sign) => <span key={sign} className="border border-line px-1.5">{sign} {all.filter((s) => s === sign).length}</span>)}
    </p>
  )
}

/** Audio files are the voice notes and other audio files of a message, with what is said in them. */
function Audio({ of: m }: { of: Message }) {
  const all = (m.audio ?? []).filter((s) => kept.test(s.ref))
  if (all.length === 0) return null
  return (
    <ul className="my-1! list-none! p-0!" data-testid="audio">
      {all.map((s) => (
        <li key={s.ref}>
          <a href={`/api/artifacts/${s.ref}`} download={s.name}>{s.name}</a>{' '}
          {s.text ? <q className="whitespace-pre-wrap">{s.text}</q> : <span className="text-xs text-muted">{s.why ? `could not be transcribed: ${s.why}` : s.below ? 'transcribed below' : 'is being transcribed'}</span>}
        </li>
      ))}
    </ul>
  )
}

/** Said is a message of a conversation. */
export const Said = memo(function Said({ of: m, name, follows }: { of: Message; name: string; follows: boolean }) {
  if (m.role === 'system') return <div className="my-1 ml-14 border-l-2 border-line pl-3 text-muted" data-testid="message" data-role="system"><Markdown text={m.message} /><Reactions of={m} /></div>
  return (
    <Spoken
      name={name} agent={m.role === 'agent'} at={m.at} follows={follows}
      note={m.role === 'agent' && m.run ? <Link to="/runs/$id" params={{ id: m.run }} className="text-xs text-muted! opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">run</Link> : undefined}
    >
      {m.deleted ? <p className="m-0! text-muted italic">Its sender took this message back.</p> : <Markdown text={m.message} />}
      {m.role === 'person' && !m.deleted && (m.origins ?? []).length > 0 && <span className="text-xs text-muted" data-testid="origins">with data from {(m.origins ?? []).join(', ')}</span>}
      {m.edited && !m.deleted && <span className="text-xs text-muted">edited</span>}
      <Reactions of={m} />
      {(m.images ?? []).length > 0 && (
        <p className="my-1! flex flex-wrap gap-2">
          {(m.images ?? []).filter((ref) => kept.test(ref)).map((ref) => <a key={ref} href={`/api/artifacts/${ref}`} download><img src={`/api/artifacts/${ref}`} alt="with the message" loading="lazy" className="max-h-48 max-w-full border border-line" /></a>)}
        </p>
      )}
      {(m.files ?? []).length > 0 && (
        <ul className="my-1! list-none! p-0!">
          {(m.files ?? []).filter((f) => kept.test(f.ref)).map((f) => <li key={f.ref}><a href={`/api/artifacts/${f.ref}`} download={f.name}>{f.name}</a> <span className="text-xs text-muted">{f.size.toLocaleString('en')} bytes</span></li>)}
        </ul>
      )}
      <Audio of={m} />
      {m.confirmed === false && <p className="my-1! border-l-2 border-warn pl-2 text-warn"><b>Not confirmed.</b> {m.review}</p>}
      {m.broken && <p className="my-1! border-l-2 border-danger pl-2 text-danger">The answer broke off here.</p>}
    </Spoken>
  )
})
