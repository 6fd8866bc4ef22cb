const colors: { [presence: string]: string } = { working: 'bg-live', waiting: 'bg-warn', idle: 'border border-muted', disabled: 'border border-line', unreachable: 'border border-danger' }

/** Presence is a dot that says whether an agent is at work; its word is there for who does not see it. */
export function Presence(p: { of: string; word?: boolean }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <span aria-hidden="true" className={`inline-block size-2 shrink-0 rounded-full ${colors[p.of] ?? 'border border-line'} ${p.of === 'working' ? 'motion-safe:animate-pulse' : ''}`} />
      <span className={p.word ? (p.of === 'waiting' ? 'text-warn' : p.of === 'working' ? 'text-live' : 'text-muted') : 'sr-only'}>{p.of}</span>
    </span>
  )
}
