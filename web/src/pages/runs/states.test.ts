import { expect, test } from 'vitest'
import { pausable } from './states'

test('what waits is paused like what works, unless it is over, paused, or a program holds it up', () => {
  for (const r of [{ state: 'queued' }, { state: 'running' }, { state: 'waiting', waits_for: 'time' }, { state: 'waiting', waits_for: 'approval:apr_1' }, { state: 'waiting', waits_for: 'event:desk.ticket.created' }]) expect(pausable(r)).toBe(true)
  for (const r of [undefined, { state: 'done' }, { state: 'failed' }, { state: 'cancelled' }, { state: 'waiting', waits_for: 'resume' }, { state: 'waiting', waits_for: 'client:msg_1' }]) expect(pausable(r)).toBe(false)
})
