import type { Schemas } from '../api/client'

/** Sources shows where a record comes from, with the exact words; the hint stands where none were kept. */
export function Sources(p: { of: Schemas['DeskSource'][] | null | undefined; hint?: string }) {
  const list = (p.of ?? []).filter((s) => s.quote)
  if (list.length === 0) return p.hint ? <p className="muted">{p.hint}</p> : null
  return (
    <ul className="sources">
      {list.map((s, i) => (
        <li key={i}>
          <blockquote>{s.quote}</blockquote>
          <span className="muted">
            {s.document ? `${s.document}, line ${s.line ?? '?'}` : 'conversation'} · {s.by}
          </span>
        </li>
      ))}
    </ul>
  )
}
