import type { Schemas } from '../api/client'

/** Touched says what a call did to files: where, which ones, and what is not known of it. */
export function Touched({ of: c }: { of: Schemas['DiskChanges'] }) {
  return (
    <p className="my-1! text-sm">
      <span className="text-muted">changed</span>{' '}
      {c.files.map((f, i) => <span key={f.path}>{i > 0 && ', '}<code>{f.path}</code>{f.how !== 'changed' && <span className="text-muted"> {f.how}</span>}</span>)}
      {(c.more ?? 0) > 0 && <> and {c.more} more</>}
      {c.unseen && <span className="text-warn"> {c.unseen}</span>}
      {c.beside && <span className="text-warn"> Another call wrote in the same folders meanwhile; some of it may be that one’s.</span>}
    </p>
  )
}
