import type { Colour } from '../lib/colours'

/** Bar is a small bar of parts beside each other, out of a whole; label says it in words. */
export function Bar(p: { parts: { value: number; colour: Colour; faint?: boolean }[]; whole: number; label: string; mark?: number }) {
  const whole = p.whole > 0 ? p.whole : 1
  let from = 0
  return (
    <svg role="img" aria-label={p.label} viewBox="0 0 100 8" preserveAspectRatio="none" className="inline-block h-[.7em] w-full min-w-[6ch] max-w-[24ch] align-baseline">
      <rect x="0" y="0" width="100" height="8" fill="var(--color-line)" opacity=".55" />
      {p.parts.map((part) => {
        const x = from
        const width = Math.max(0, Math.min((part.value / whole) * 100, 100 - x))
        from += width
        return <rect key={part.colour} x={x} y="0" width={width} height="8" fill={`var(--color-${part.colour})`} opacity={part.faint ? 0.5 : 1} />
      })}
      {p.mark !== undefined && p.mark < whole && <rect x={(p.mark / whole) * 100 - 0.4} y="0" width=".8" height="8" fill="var(--color-text)" />}
    </svg>
  )
}
