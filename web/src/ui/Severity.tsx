/** Severity shows how grave something is. */
export function Severity(p: { of: string }) {
  return <span className={p.of === 'CRITICAL' || p.of === 'HIGH' ? 'text-bad' : p.of === 'MEDIUM' ? 'text-warn' : 'text-muted'}>{p.of}</span>
}
