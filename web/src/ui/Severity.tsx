import { worded } from '../lib/words'

const looks: { [grade: string]: [sign: string, colour: string] } = {
  CRITICAL: ['█', 'text-danger'], HIGH: ['▆', 'text-warn'], MEDIUM: ['▄', 'text-text'], LOW: ['▂', 'text-faint'],
}

/** Severity shows how grave or how urgent something is: a level and a word. */
export function Severity(p: { of: string }) {
  const [sign, colour] = looks[p.of] ?? ['', 'text-muted']
  return <span data-sign={sign} className={`${colour} whitespace-nowrap`}>{worded(p.of)}</span>
}
