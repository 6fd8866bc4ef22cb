import { expect, test } from 'vitest'
import { merged } from './merge'

test('what is said twice counts once', () => {
  const one = { title: 'A', lifecycle: 'ACTIVE', decisions: [{ text: 'x' }, { text: 'y' }], openQuestions: ['q'], evidence: [{ snippet: 's', reference: '1' }] }
  const two = { title: 'B', lifecycle: 'ACTIVE', decisions: [{ text: 'y' }], actions: [{ text: 'a', status: 'OPEN' }], openQuestions: ['q', 'r'], evidence: [{ snippet: 's', reference: '2' }] }
  expect(merged([one, two])).toEqual({ decisions: 2, actions: 1, questions: 2, evidence: 2, attendees: 0 })
})
