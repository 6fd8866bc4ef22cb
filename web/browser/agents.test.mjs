// Agents: what each is doing, how one is changed, tried, made and deleted.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { serious } from './axe.mjs'
import { startModel } from './model.mjs'
import { goTo, shot, startDesk } from './world.mjs'

let world
let page
let model
let release

const call = async (method, path, data) => {
  const res = await page.request.fetch(world.at(path), { method, data, headers: { Origin: world.daemon.origin } })
  assert.ok(res.ok(), `${method} ${path}: ${await res.text()}`)
  return res.status() === 204 ? undefined : res.json()
}
const card = (name) => page.getByRole('article', { name, exact: true })

before(async () => {
  const gate = new Promise((resolve) => {
    release = resolve
  })
  model = await startModel(({ text, messages }) => (text.includes('hang') ? ['Wait', gate] : `I am told: ${messages[0].content.includes('Speak like a pirate') ? 'arr' : 'nothing'}`))
  world = await startDesk({ env: model.env })
  page = world.page
})

after(async () => {
  release?.()
  await world?.stop()
  model?.stop()
})

test('cards say what each agent is doing and what it used', async () => {
  await call('PUT', '/api/budgets', { scope: 'agent', of: 'pm', per: 'day', tokens: 1_000_000 })
  await goTo(page, 'Agents')
  assert.equal(await page.locator('main article').count(), 16)
  const { runId } = await call('POST', '/api/chat', { agent: 'pm', text: 'Please hang on' })
  await card('pm').getByText('working').waitFor()
  await card('pm').getByRole('link', { name: 'Please hang on' }).waitFor()
  await card('pm').getByText(/of 1000k tokens today/).waitFor()
  await shot(page, '70-agents')
  release()
  await card('pm').getByText('idle').waitFor()
  await card('pm').getByText('1 call today').waitFor()
  assert.equal((await call('GET', `/api/runs/${runId}`)).run.state, 'done')
})

test('an agent is changed, and tried beside that', async () => {
  await page.keyboard.press('k')
  await card('pm').getByRole('button', { name: 'pm' }).click()
  const form = page.getByRole('form', { name: 'Agent pm' })
  const prompt = form.getByLabel('Prompt')
  await prompt.fill(`${await prompt.inputValue()}\nSpeak like a pirate.`)
  await form.getByLabel('Words in tools').fill('checklist')
  await form.getByRole('checkbox', { name: /^read_checklists/ }).check()
  await form.getByLabel('Tokens').fill('5000')
  await page.getByText('what is not saved does not count').waitFor()
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByText('saved', { exact: true }).waitFor()
  const now = await call('GET', '/api/agents/pm')
  assert.deepEqual([now.tools.includes('read_checklists'), now.budget.max_tokens, now.prompt.endsWith('pirate.')], [true, 5000, true])
  const message = page.getByRole('combobox', { name: 'Message' })
  await message.fill('Who are you?')
  await message.press('Enter')
  await page.locator('[data-testid=message][data-role=agent]').filter({ hasText: 'I am told: arr' }).waitFor()
  await shot(page, '71-agent')
})

test('what somebody else changed meanwhile is named, and not overwritten', async () => {
  const form = page.getByRole('form', { name: 'Agent pm' })
  await form.getByLabel('Display name').fill('Mine')
  await call('PATCH', '/api/agents/pm', { model: 'theirs/model' })
  await form.getByRole('alert').filter({ hasText: 'pm was changed meanwhile: model. You changed: name.' }).waitFor()
  await shot(page, '72-conflict')
  assert.deepEqual(await serious(page), [])
  assert.ok(await form.getByRole('button', { name: 'Save', exact: true }).isDisabled())
  await form.getByRole('button', { name: 'Save mine on top' }).click()
  await form.getByRole('alert').waitFor({ state: 'detached' })
  const now = await call('GET', '/api/agents/pm')
  assert.deepEqual([now.card.display.name, now.model], ['Mine', 'theirs/model'])
  assert.equal(await form.getByLabel('Model').inputValue(), 'theirs/model')
})

test('an agent is made, refused while it is wrong, disabled and deleted', async () => {
  await page.getByRole('button', { name: 'All agents' }).click()
  await page.keyboard.press('n')
  const form = page.getByRole('form', { name: 'New agent' })
  await form.getByLabel('Name of the agent').fill('scribe')
  await form.getByLabel('What it does').fill('Writes release notes.')
  await form.getByRole('button', { name: 'Make it' }).click()
  await form.getByRole('alert').filter({ hasText: 'prompt' }).waitFor()
  assert.match(world.complaints.splice(0).join(), /^console: Failed to load resource.* 422 [^,]*$/, 'the browser tells of the refusal')
  await form.getByLabel('Prompt').fill('You write release notes.')
  await form.getByRole('button', { name: 'Make it' }).click()
  await page.getByRole('form', { name: 'Agent scribe' }).waitFor()
  await page.getByRole('button', { name: 'Disable' }).click()
  page.once('dialog', (d) => d.accept())
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByTestId('total').filter({ hasText: '16' }).waitFor()
  assert.ok(!(await call('GET', '/api/agents')).some((a) => a.card.agent_id === 'agent:scribe'))
})

test('no page complained or called elsewhere', () => assert.deepEqual(world.complaints, []))
