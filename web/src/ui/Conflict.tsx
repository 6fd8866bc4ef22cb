import { worded } from '../lib/words'

/** Conflict says what somebody else made of something while it was edited, and lets one choose; nothing is overwritten unseen. */
export function Conflict(p: { theirs: [string, unknown][]; onKeep: () => void; onTake: () => void }) {
  return (
    <div className="w-full" role="alert">
      <p className="text-warn">
        Somebody changed it meanwhile{p.theirs.length > 0 && <>: {p.theirs.map(([name, value]) => `${name} is now ${value === null || value === undefined ? 'empty' : /^[A-Z_]{3,}$/.test(String(value)) ? worded(String(value)) : String(value)}`).join(', ')}</>}. Nothing of yours is saved yet.
      </p>
      <button type="button" onClick={p.onKeep}>Keep mine</button>{' '}
      <button type="button" onClick={p.onTake}>Take theirs</button>
    </div>
  )
}
