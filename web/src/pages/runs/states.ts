/** states of a run, in their order. */
export const states = ['queued', 'running', 'waiting', 'done', 'failed', 'cancelled']

/** over says whether a run in that state can no longer change. */
export const over = (state: string | undefined) => state === 'done' || state === 'failed' || state === 'cancelled'

/** pausable says whether a run can be paused: one that is not over nor paused, and that no program holds up. */
export const pausable = (r: { state: string; waits_for?: string | undefined } | undefined) =>
  r !== undefined && !over(r.state) && r.waits_for !== 'resume' && !r.waits_for?.startsWith('client:')
