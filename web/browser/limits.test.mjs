// What agents may spend and do, and what takes part in it: budgets, the vault, hooks, the policy.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { goTo, shot, startWorld } from './world.mjs'

let world
let page
const secret = 'a value that nobody sees again'

before(async () => {
  world = await startWorld()
  page = world.page
  mkdirSync(join(world.daemon.data, 'hooks'), { recursive: true })
  writeFileSync(join(world.daemon.data, 'hooks', 'judge.sh'), '#!/bin/sh\necho "Not on a Friday." >&2\nexit 2\n')
  chmodSync(join(world.daemon.data, 'hooks', 'judge.sh'), 0o700)
  writeFileSync(join(world.daemon.data, 'hooks.yaml'), 'version: 1\nhooks:\n  - {name: judge, points: [prompt], command: [./judge.sh], on_failure: allow}\n  - {name: lost, points: [run_end], command: [./lost.sh]}\n')
  writeFileSync(join(world.daemon.data, 'policy.yaml'), 'version: 1\n# ours\nsecrets: [{name: DEPLOY_KEY, tools: [shell_exec]}]\nrules: [{name: no pushes, answer: deny, tools: [shell_exec], commands: ["git push"]}]\n')
  page.on('dialog', (d) => d.accept())
  await page.goto(world.daemon.login)
  await page.getByText('Make a project first').waitFor()
})

after(() => world?.stop())

test('a budget is set with the keyboard, shown with what is used, and removed', async () => {
  await goTo(page, 'Budgets')
  await page.getByText('Nothing is limited').waitFor()
  await page.getByLabel('Of', { exact: true }).selectOption('agent')
  await page.getByLabel('Which').selectOption('coder')
  await page.getByLabel('calls').focus()
  await page.keyboard.type('7')
  await page.getByLabel('usd').fill('0.5')
  await page.getByLabel('calls').focus()
  await page.keyboard.press('Enter')
  await page.getByText('0.5 USD, 7 calls').waitFor()
  await page.getByText('0.0000 USD, 0 calls').first().waitFor()
  await page.getByLabel('Of', { exact: true }).selectOption('organization')
  await page.getByLabel('usd').fill('')
  await page.getByLabel('calls').fill('0')
  await page.getByRole('button', { name: 'Set' }).click()
  await page.getByText('leaves 0 calls').waitFor()
  await shot(page, '50-budgets')
  await page.getByRole('button', { name: 'Remove the budget organization:day' }).click()
  await page.getByText('leaves 0 calls').waitFor({ state: 'detached' })
  await page.getByLabel('calls').fill('')
  await page.getByRole('button', { name: 'Set' }).click()
  await page.getByRole('alert').getByText('A budget bounds').waitFor()
})

test('a secret is set, granted as the policy says, sealed anew and removed; its value is nowhere on the page', async () => {
  await goTo(page, 'Vault')
  await page.getByText('The policy grants DEPLOY_KEY, which is not here').waitFor()
  await page.getByLabel('Name of the secret').fill('DEPLOY_KEY')
  await page.getByLabel('Value').fill(secret)
  await page.keyboard.press('Enter')
  await page.getByText('shell_exec of all agents in all projects').waitFor()
  assert.equal(await page.getByLabel('Value').inputValue(), '')
  await page.getByRole('button', { name: 'Rotate' }).click()
  await page.getByText('All secrets are sealed anew.').waitFor()
  const kept = await page.evaluate(() => document.documentElement.outerHTML + JSON.stringify([...document.querySelectorAll('input')].map((i) => i.value)) + JSON.stringify({ ...localStorage, ...sessionStorage }))
  assert.ok(!kept.includes(secret))
  assert.ok(!(await (await page.request.get(world.at('/api/vault'))).text()).includes(secret))
  await shot(page, '51-vault')
  await page.getByRole('button', { name: 'Remove DEPLOY_KEY' }).click()
  await page.getByText('The vault is empty.').waitFor()
})

test('hooks say what they lack and what they did, and one is called', async () => {
  await goTo(page, 'Hooks')
  await page.getByText('lost.sh of the hook lost is not there').waitFor()
  await page.getByText('changed nothing').first().waitFor()
  await page.getByRole('button', { name: 'Call' }).click()
  await page.getByRole('status').filter({ hasText: /It denies: Not on a Friday\./ }).waitFor()
  await page.getByLabel('Data').fill('{')
  await page.getByRole('button', { name: 'Call' }).click()
  await page.getByRole('alert').getByText('That is no JSON').waitFor()
  const res = await page.request.post(world.at('/api/chat'), { data: { text: 'whereami' }, headers: { Origin: world.daemon.origin } })
  assert.equal(res.status(), 403)
  await page.getByText(/at prompt: denied: Not on a Friday\./).waitFor()
  await shot(page, '52-hooks')
})

test('the policy is shown, and explains a decision', async () => {
  await goTo(page, 'Policy')
  await page.getByText('tools: shell_exec; commands: git push').waitFor()
  await page.getByText('The file', { exact: true }).click()
  await page.getByText('# ours').waitFor()
  await page.getByLabel('Arguments').fill('{"command":"git push"}')
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.getByRole('status').filter({ hasText: /^deny, by the rule/ }).waitFor()
  await page.getByLabel('Tool', { exact: true }).selectOption('read_file')
  await page.getByLabel('Arguments').fill('{"path":"/etc/passwd"}')
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.getByRole('status').filter({ hasText: /\/etc\/passwd lies outside/ }).waitFor()
  await shot(page, '53-policy')
})

test('no page complained or called elsewhere', () => assert.deepEqual(world.complaints.filter((c) => !/40[03]|422/.test(c)), []))
