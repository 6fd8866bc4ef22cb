import { expect, test } from 'vitest'
import { agentOf, changed, empty, formOf, patchOf } from './agentform'

const form = { ...empty, name: 'Worker', prompt: 'You work.', tools: ['memory'], may: ['records' as const], tokens: '500', model: 'home/m' }

test('an agent fills the form, and the form makes the agent', () => {
  const agent = agentOf('worker', form)
  expect(agent.card.agent_id).toBe('agent:worker')
  expect(formOf(agent)).toEqual(form)
  expect(patchOf(form, form)).toEqual({})
})

test('only what differs is sent, and what is emptied is cleared', () => {
  const now = { ...form, name: 'Other', tokens: '', usd: '1.5', model: '', may: ['records' as const, 'git' as const], parallel: '3', tools: [] }
  expect(changed(now, form)).toEqual(['name', 'model', 'tools', 'may', 'tokens', 'usd', 'parallel'])
  expect(patchOf(now, form)).toEqual({
    card: { display: { name: 'Other' }, limits: { max_concurrency: 3 } }, model: null, tools: [],
    permissions: { records: true, file: false, shell: false, git: true, browser: false, network: false }, budget: { max_tokens: null, max_cost_usd: 1.5 },
  })
})
