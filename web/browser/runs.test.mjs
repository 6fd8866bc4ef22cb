// Runs as a tree on the axis of their time, forked and ended by keys; questions decided with one key.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { call, results, startModel } from './model.mjs'
import { goTo, shot, startWorld } from './world.mjs'

let world
let page
let model

const waiting = []
/** held lets the next part of an answer that is held back come. */
const held = () => waiting.shift()?.()

/** slowly is an answer whose parts come one by one. */
const slowly = () => ['I look at', ' the handler.'].map((part) => new Promise((resolve) => waiting.push(() => resolve(part))))

before(async () => {
  model = await startModel(async (asked) => {
    if (asked.response_format) {
      const wants = JSON.stringify(asked.response_format)
      return wants.includes('delegate')
        ? JSON.stringify({ delegate: 'coder', sub_task: 'Read the handler.', respond: '', requires: [] })
        : JSON.stringify({ pass: true, summary: 'It is as asked.', feedback: '' })
    }
    const said = JSON.stringify(asked.messages.filter((m) => m.role === 'user').at(-1))
    const n = results(asked).length
    if (said.includes('Hold')) return slowly()
    if (said.includes('Write')) return n > 0 ? `It ended: ${results(asked).join(' | ')}` : [call('write_file', { path: 'hello.txt', content: 'Hello\n' })]
    return n === 0 ? [call('read_file', { path: 'handler.go' }), call('list_dir', { path: '.' })] : 'The handler retries three times.'
  })
  world = await startWorld(model.env)
  page = world.page
  await page.goto(world.daemon.login)
  await page.getByText('Make a project first').waitFor()
})

after(async () => {
  while (waiting.length > 0) held()
  await world?.stop()
  model?.stop()
})

const post = async (path, data, at = page) => {
  const res = await at.request.post(world.at(path), { data, headers: { Origin: world.daemon.origin } })
  assert.ok(res.ok(), await res.text())
  return res.json()
}
const row = (name) => page.getByRole('treeitem').filter({ hasText: name }).first()

/** settled waits until a run has the state. */
async function settled(id, state) {
  await page.locator('h2').filter({ hasText: state }).waitFor()
  return (await page.request.get(world.at(`/api/runs/${id}/trace`))).json()
}

test('a run is a tree, with why the agent was chosen and what each call was asked and gave', async () => {
  const { runId } = await post('/api/chat', { text: 'Look at the handler', wait: true })
  await goTo(page, 'Runs')
  await page.getByTestId('pane').getByRole('link', { name: 'Look at the handler' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const { trace } = await settled(runId, 'done')
  await row('chose coder').click()
  await page.getByText('The controller, a model, named the agent').waitFor()
  await page.getByRole('cell', { name: 'coder ✓' }).waitFor()
  const answer = trace.spans.find((s) => s.answer && s.agent === 'coder')
  const asked = trace.spans.filter((s) => s.kind === 'tool')
  assert.deepEqual(asked.map((s) => [s.name, s.parent]), [['read_file', answer.id], ['list_dir', answer.id]])
  assert.ok(answer.answer.input_tokens > 0 && answer.ms > 0, JSON.stringify(answer))
  const read = page.getByRole('treeitem').filter({ hasText: 'read_file' })
  assert.equal(await read.getAttribute('aria-level'), String(Number(await row('fake').getAttribute('aria-level')) + 1))
  await read.focus()
  await page.keyboard.press('Enter')
  await read.getByText('"path": "handler.go"').waitFor()
  await read.getByRole('button', { name: `Event ${asked[0].seq}, as it is recorded` }).click()
  await read.getByTestId('event').getByText(/^[0-9a-f]{64}$/).first().waitFor()
  await shot(page, '60-run')
  await page.keyboard.press('Escape')
  await row('Look at the handler').focus()
  await page.keyboard.press('ArrowLeft')
  assert.equal(await page.getByRole('treeitem').count(), 1)
  await page.keyboard.press('ArrowRight')
  await read.waitFor()
})

test('a run is forked after a step, and both say so', async () => {
  await row('chose coder').focus()
  await page.keyboard.press('f')
  await page.getByRole('form', { name: 'Fork the run' }).getByText('chose coder').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('form', { name: 'Fork the run' }).waitFor({ state: 'detached' })
  await row('chose coder').focus()
  await page.keyboard.press('f')
  await page.keyboard.press('Enter')
  await page.locator('h2').filter({ hasText: 'Fork: Look at the handler' }).waitFor()
  await page.locator('h2').filter({ hasText: 'done' }).waitFor()
  assert.equal(await page.getByRole('treeitem').filter({ hasText: 'chose coder' }).count(), 0, 'what it has from before is not done again')
  await page.getByText('It goes on from step').getByRole('link').click()
  await page.getByText('Forks:').getByRole('link').waitFor()
})

test('what a model does now shows, and a key cancels it', async () => {
  const { runId } = await post('/api/chat', { agent: 'coder', text: 'Hold on' })
  await goTo(page, 'Runs')
  await page.getByLabel('State').selectOption('running')
  await page.getByTestId('pane').getByRole('link', { name: 'Hold on' }).click()
  await page.getByText(/^It is running on/).waitFor()
  held()
  await page.getByTestId('live').filter({ hasText: /coder\s*I look at/ }).waitFor() // before it is recorded
  const open = async () => (await settled(runId, 'running')).trace.ms
  const first = await open()
  await page.waitForFunction(() => !/took (\d+ ms)/.test(document.querySelector('[data-testid=pane]')?.textContent ?? ''))
  assert.ok((await open()) > first, 'its time does not go on')
  await page.keyboard.press('p')
  await page.locator('h2').filter({ hasText: 'waiting' }).waitFor()
  await page.keyboard.press('p')
  await page.locator('h2').filter({ hasText: /running|queued/i }).waitFor()
  await page.keyboard.press('c')
  await page.locator('h2').filter({ hasText: 'cancelled' }).waitFor()
  await page.keyboard.press('u')
  await page.keyboard.press('s')
  await page.waitForFunction(() => document.querySelector('[aria-label=State]')?.value === 'queued')
  await page.getByText('No run fits.').waitFor()
})

test('one key approves; what was answered goes and is told of', async () => {
  await post('/api/chat', { agent: 'coder', text: 'Write it' })
  await goTo(page, 'Approvals')
  const card = page.getByTestId('question')
  await card.waitFor()
  await card.getByText('+Hello').waitFor()
  await page.keyboard.press('a')
  await page.getByRole('status').filter({ hasText: 'Approved: coder write_file' }).waitFor()
  await page.getByText('Nothing waits for you.').waitFor()
  await page.keyboard.press('w')
  await page.getByText('approve coder write_file').waitFor()
})

test('an answer that comes too late says who answered, and nothing is undone', async () => {
  const ann = await post('/api/persons/accept', { token: (await post('/api/persons/invite', { role: 'editor', name: 'Ann' })).token })
  await post('/api/chat', { agent: 'coder', text: 'Write it again' })
  const card = page.getByTestId('question').filter({ has: page.getByRole('button', { name: 'approve' }) })
  await card.waitFor()
  const list = await (await page.request.get(world.at('/api/approvals?status=pending&limit=200'))).json()
  await page.route('**/api/approvals?status=pending**', (r) => r.fulfill({ json: list })) // the page does not hear of it
  const body = JSON.stringify({ choice: 'deny', note: 'Not now.', digest: list[0].digest })
  const res = await fetch(world.at(`/api/approvals/${list[0].id}`), { method: 'POST', body, headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${ann.token}` } })
  assert.ok(res.ok, await res.text())
  await card.focus()
  await page.keyboard.press('a')
  await page.getByRole('alert').filter({ hasText: /Ann answered this already, at .*: deny\./ }).first().waitFor()
  assert.equal(await card.count(), 1, 'what was refused does not come back')
  await shot(page, '61-too-late')
  await page.unroute('**/api/approvals?status=pending**')
  await post('/api/chat', { agent: 'coder', text: 'Look again', wait: true })
  await card.waitFor({ state: 'detached' })
  await page.getByText('deny coder write_file').waitFor()
  const now = await (await page.request.get(world.at(`/api/approvals/${list[0].id}`))).json()
  assert.equal(now.answer.choice, 'deny')
})

test('no page complained or called elsewhere', () => assert.deepEqual(world.complaints.filter((c) => !/409/.test(c)), []))
