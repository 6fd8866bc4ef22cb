/** looks are the colour and the sign of each state, so that nobody has to tell colours apart. */
const looks: { [state: string]: [string, string] } = {
  queued: ['text-muted', '◌'], running: ['text-accent', '▶'], waiting: ['text-warn', '‖'], done: ['text-good', '✓'], failed: ['text-bad', '✗'], cancelled: ['text-muted', '⊘'],
  skipped: ['text-muted', '·'], unknown: ['text-warn', '?'], SUCCESS: ['text-good', '✓'], FAIL: ['text-bad', '✗'], CANCELLED: ['text-muted', '⊘'], SKIPPED: ['text-warn', '·'],
  READY: ['text-muted', '◌'], RUNNING: ['text-accent', '▶'], FAILED_RETRYABLE: ['text-warn', '↻'],
}

/** Standing shows where work stands, by a sign, a word and a colour; only the sign when it is short. */
export function Standing(p: { of: string; short?: boolean }) {
  const [color, sign] = looks[p.of] ?? ['text-muted', '·']
  const word = p.of.toLowerCase().replace('_', ', ')
  return (
    <span className={`${color} whitespace-nowrap ${p.of === 'running' || p.of === 'RUNNING' ? 'motion-safe:animate-pulse' : ''}`}>
      <span aria-hidden="true" className="inline-block w-[2ch]">{sign}</span>
      {p.short ? <span className="sr-only">{word}</span> : word}
    </span>
  )
}
