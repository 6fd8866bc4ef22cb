import type { Letter } from '../../lib/outbox'

/** Pending are the messages that are on their way, and those that could not be sent. */
export function Pending(p: { letters: Letter[]; onAgain: (l: Letter) => void; onEdit: (l: Letter) => void }) {
  return (
    <>
      {p.letters.map((l) => (
        <div key={l.key} className={`my-1 border-l-2 px-3 py-1 ${l.error ? 'border-danger' : 'border-line'}`} data-testid="pending">
          <div className="whitespace-pre-wrap wrap-anywhere text-muted">{l.text}{l.pictures.length > 0 && ` (${l.pictures.length} pictures)`}</div>
          {l.error ? (
            <div className="flex flex-wrap items-center gap-2">
              <span className="text-danger" role="alert">Not sent. {l.error}</span>
              <button type="button" className="px-2 py-0" onClick={() => p.onAgain(l)}>Send again</button>
              <button type="button" className="px-2 py-0" onClick={() => p.onEdit(l)}>Edit</button>
            </div>
          ) : <span className="text-xs text-muted">sending…</span>}
        </div>
      ))}
    </>
  )
}
