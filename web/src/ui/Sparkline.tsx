import type { Colour } from '../lib/colours'

/** Sparkline is a small line of values, the last with a point: how something went, without an axis. It is drawn, not read; the words beside it say what counts. */
export function Sparkline(p: { values: number[]; colour: Colour; bars?: boolean }) {
  const n = p.values.length
  if (n < 2) return null
  const most = Math.max(...p.values)
  const least = p.bars ? 0 : Math.min(...p.values)
  const y = (v: number) => (most === least ? (p.bars ? 24 : 13) : 23 - ((v - least) / (most - least)) * 20)
  const x = (i: number) => (i / (n - 1)) * 96 + 2
  const ink = `var(--color-${p.colour})`
  return (
    <svg viewBox="0 0 100 26" preserveAspectRatio="none" aria-hidden="true" className="block h-7 w-full overflow-visible">
      {p.bars
        ? p.values.map((v, i) => <rect key={i} x={(i / n) * 100 + 0.6} y={v === 0 ? 24.4 : y(v)} width={100 / n - 1.2} height={v === 0 ? 0.8 : 25 - y(v)} fill={v === 0 ? 'var(--color-line)' : ink} />)
        : (
          <>
            <polygon points={`${x(0)},26 ${p.values.map((v, i) => `${x(i)},${y(v)}`).join(' ')} ${x(n - 1)},26`} fill={ink} opacity=".12" />
            <polyline points={p.values.map((v, i) => `${x(i)},${y(v)}`).join(' ')} fill="none" stroke={ink} strokeWidth="1.6" vectorEffect="non-scaling-stroke" />
          </>
        )}
    </svg>
  )
}
