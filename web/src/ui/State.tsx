import type { ReactNode } from 'react'

/** State shows that something loads, went wrong, or is empty; else its children. */
export function State(p: { pending: boolean; error: Error | null; empty?: boolean; hint?: ReactNode; children: ReactNode }) {
  if (p.error) return <p className="danger" role="alert">{p.error.message}</p>
  if (p.pending) return <p key="loads" className="muted loads">Loading…</p>
  if (p.empty) return <p className="muted">{p.hint ?? 'Nothing here yet.'}</p>
  return <>{p.children}</>
}

/** Failed says what was refused, after what stays as it is. */
export function Failed(p: { of: Error | null; before?: string }) {
  return p.of && <p className="danger" role="alert">{p.before}{p.of.message}</p>
}
