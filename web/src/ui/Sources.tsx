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
            {[where(s), s.by].filter(Boolean).join(' · ')}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** where says where words stand: in a document, or in something that was said. */
function where(s: Schemas['DeskSource']) {
  if (!s.document || s.document.startsWith('msg_')) return 'conversation'
  return s.line ? `${s.document}, line ${s.line}` : s.document
}
