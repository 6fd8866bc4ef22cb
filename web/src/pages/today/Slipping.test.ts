import { describe, expect, it } from 'vitest'
import { delayed, waits } from './Slipping'

describe('the plan in what slips', () => {
  it('says in words why a milestone or a phase is told of', () => {
    expect(delayed({ why: 'OVERDUE', days: 1 })).toBe('1 day over')
    expect(delayed({ why: 'AT_RISK', days: 0 })).toBe('due today')
    expect(delayed({ why: 'AT_RISK', days: 5 })).toBe('in 5 days')
    expect(delayed({ why: 'UNFINISHED', days: 0 })).toBe('not finished')
  })
  it('says for what it waits', () => {
    expect(waits({ openTickets: 0, openItems: 0 })).toBe('')
    expect(waits({ openTickets: 2, openItems: 1 })).toBe('2 tickets open, 1 item not ticked')
  })
})
