import { worded } from '../lib/words'

/** Look is the sign and the colour of a state; what is over and of no concern is muted. */
type Look = [sign: string, colour: string]

const waits: Look = ['○', 'text-muted']
const works: Look = ['◐', 'text-live']
const done: Look = ['✓', 'text-up']
const failed: Look = ['✗', 'text-danger']
const gone: Look = ['⊘', 'text-muted']
const doubt: Look = ['▲', 'text-warn']

/** looks are the sign and the colour of each state, so that nobody has to tell colours apart. */
const looks: { [state: string]: Look } = {
  TODO: waits, IN_PROGRESS: works, REVIEW: ['◕', 'text-live'], DONE: done, BLOCKED: ['■', 'text-danger'], CLOSED: gone,
  PROPOSED: ['◌', 'text-warn'], COMMITTED: works, AT_RISK: doubt, ACHIEVED: done, MISSED: failed, DROPPED: gone,
  NOT_STARTED: waits, PENDING: waits, ACTIVE: works, ON_TRACK: works, COMPLETED: done,
  OPEN: ['○', 'text-warn'], ACKNOWLEDGED: works, RESOLVED: done, DISMISSED: gone, ACCEPTED: done,
  NEW: ['○', 'text-live'], REVIEWED: works, PROMOTED: done, ARCHIVED: gone, SUPERSEDED: gone, MERGED: gone, TEMPLATE: waits,
  QUEUED: ['◌', 'text-muted'], RUNNING: ['▶', 'text-live'], WAITING: ['‖', 'text-warn'], FAILED: failed, CANCELLED: gone, SKIPPED: ['·', 'text-muted'], UNKNOWN: ['?', 'text-warn'],
  SUCCESS: done, FAIL: failed, READY: ['◌', 'text-muted'], FAILED_RETRYABLE: ['↻', 'text-warn'],
  STARTED: ['▶', 'text-live'], RETRYING: ['↻', 'text-warn'], PASSED: ['·', 'text-muted'], UNDONE: gone, UNPROVEN: failed, PROVEN: done, WAIVED: doubt,
  RECEIVED: ['◌', 'text-muted'], PROCESSING: ['▶', 'text-live'], DISPATCHED: done, TAKEN_BACK: ['↶', 'text-muted'],
}

/** lookOf is the sign and the colour of a state, in capitals or not. */
const lookOf = (state: string): Look => looks[state.toUpperCase()] ?? ['·', 'text-muted']

/** Status shows where something stands, by a sign, a word and a colour; only the sign when it is short. more is said after the word. */
export function Status(p: { of: string; short?: boolean; more?: string | undefined }) {
  const [sign, colour] = lookOf(p.of)
  const word = `${worded(p.of)}${p.more ? `: ${p.more}` : ''}`
  const moves = ['RUNNING', 'STARTED'].includes(p.of.toUpperCase()) ? 'motion-safe:before:animate-pulse' : ''
  return <span data-sign={sign} className={`${colour} ${moves} whitespace-nowrap`}>{p.short ? <span className="sr-only">{word}</span> : word}</span>
}
