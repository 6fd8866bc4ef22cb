// Threads: what they hold, merging them, and going on with an agent.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { serious } from './axe.mjs'
import { startModel } from './model.mjs'
import { goTo, shot, startDesk } from './world.mjs'

let world
let page
let model
let project
let ticket

const call = async (method, path, data) => {
  const res = await page.request.fetch(world.at(path), { method, data, headers: { Origin: world.daemon.origin } })
  assert.ok(res.ok(), `${method} ${path}: ${await res.text()}`)
  return res.json()
}
const keep = (body) => call('POST', `/api/projects/${project}/threads`, body)
const total = (n) => page.waitForFunction((want) => document.querySelector('[data-testid=total]')?.textContent === String(want), n)

before(async () => {
  model = await startModel(({ text }) => `You said: ${text.split('\n').at(-1)}`)
  world = await startDesk({ env: model.env })
  page = world.page
  project = world.project
  ticket = await call('POST', `/api/projects/${project}/tickets`, { title: 'Rotate the keys', status: 'IN_PROGRESS' })
  await keep({
    title: 'Keys', date: '2026-03-02', attendees: ['Ann', 'Bob'], summary: 'Who holds **the keys**.',
    decisions: [{ text: 'Keys are rotated monthly', decidedBy: 'Ann' }], actions: [{ text: 'Write the script', assignee: 'Bob', dueDate: '2026-03-09', ticketId: ticket.id }],
    openQuestions: ['Who is on call?'], evidence: [{ snippet: 'Later words', author: 'Bob', date: '2026-03-02' }, { snippet: 'Earlier words', author: 'Ann', date: '2026-03-01', type: 'comment' }],
  })
  await keep({ title: 'Key rotation', decisions: [{ text: 'Keys are rotated monthly' }, { text: 'The old key works for a day' }], openQuestions: ['Who is on call?'] })
  await keep({ title: 'Refunds', summary: 'Another matter' })
})

after(async () => {
  await world?.stop()
  model?.stop()
})

test('a thread shows what it holds, in order and with its tickets', async () => {
  await goTo(page, 'Threads')
  await total(3)
  await page.getByLabel('Words in threads').fill('title:Keys')
  await total(1)
  await page.keyboard.press('Escape')
  await page.keyboard.press('k')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Rotate the keys' }).waitFor()
  await page.getByText('In progress').waitFor()
  assert.equal(await page.locator('main strong').textContent(), 'the keys')
  const said = await page.getByRole('region', { name: 'Who said what' }).locator('b').allTextContents()
  assert.deepEqual(said, ['Ann', 'Bob'])
  await page.getByText('Who is on call?').waitFor()
  await shot(page, '60-thread')
  assert.deepEqual(await serious(page), [])
  await page.reload()
  await page.getByRole('link', { name: 'Rotate the keys' }).waitFor() // the address has it
  assert.equal(await page.getByLabel('Words in threads').inputValue(), 'title:Keys')
  await page.getByLabel('Words in threads').fill('')
  await total(3)
})

let apart // when they were not merged yet

test('threads that are about the same are merged after a look at what becomes of them', async () => {
  apart = new Date().toISOString()
  for (const title of ['Keys', 'Key rotation']) await page.getByLabel(`Mark ${title}`, { exact: true }).check()
  await page.keyboard.press('m')
  const form = page.getByRole('form', { name: 'Merge' })
  await form.getByRole('radio', { name: /^Keys/ }).check()
  await form.getByTestId('preview').getByText('Keys will hold 2 decisions, 1 action, 1 question, 2 pieces of evidence').waitFor()
  await shot(page, '61-merge')
  assert.deepEqual(await serious(page), [])
  await form.getByLabel('Title').fill('Keys and their rotation')
  await form.getByRole('button', { name: 'Merge them' }).click()
  await page.locator('main h3').filter({ hasText: 'Keys and their rotation' }).waitFor()
  await page.getByText('The old key works for a day').waitFor()
  await total(2)
  const left = (await call('GET', `/api/projects/${project}/threads`)).items.find((r) => r.body.title === 'Keys and their rotation')
  assert.deepEqual([left.body.decisions.length, left.body.mergedFromThreadIds.length], [2, 1])
})

test('people and agents go on with a thread', async () => {
  await page.keyboard.press('c')
  await page.getByText('Nobody has said anything about Keys and their rotation yet').waitFor()
  await page.getByRole('combobox', { name: 'Message' }).fill('@pm Who holds them?')
  await page.keyboard.press('Enter')
  await page.locator('[data-testid=message][data-role=agent]').filter({ hasText: 'You said: @pm Who holds them?' }).waitFor()
  await page.getByRole('button', { name: /Discuss with an agent · 2/ }).waitFor()
  await shot(page, '62-go-on')
  const thread = new URL(page.url()).searchParams.get('thread')
  assert.equal((await call('POST', `/api/projects/${project}/threads/${thread}/run`)).state, 'done')
})

test('an earlier moment shows the threads as they were, and nothing is changed there', async () => {
  await page.goto(world.at(`/threads?project=${project}&asOf=${apart}`))
  await page.getByTestId('past').waitFor()
  await total(3)
  assert.equal(await page.getByLabel('Mark Keys', { exact: true }).count(), 0)
  await page.keyboard.press('j')
  await page.locator('main [aria-current=true]').filter({ hasText: 'Key rotation' }).press('Enter')
  await page.locator('main h3').filter({ hasText: 'Key rotation' }).waitFor()
  assert.ok(await page.getByRole('button', { name: /^Discuss with an agent/ }).isDisabled())
  await shot(page, '63-past')
  assert.deepEqual(await serious(page), [])
  await page.getByRole('button', { name: 'What changed since' }).click()
  await page.locator('main h2').filter({ hasText: 'What changed' }).waitFor()
})

test('no page complained or called elsewhere', () => assert.deepEqual(world.complaints, []))
