// Talking with agents: what they write as they write it, what they call, what they ask, what is new.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { connect, createServer as createTCP } from 'node:net'
import { after, before, test } from 'node:test'
import { serious } from './axe.mjs'
import { call, startModel } from './model.mjs'
import { goTo, shot, startDesk } from './world.mjs'

let world
let page
let model
let project
const gates = [0, 1, 2, 3].map(() => {
  let resolve
  const promise = new Promise((done) => {
    resolve = done
  })
  return { promise, resolve }
}) // where the model waits
const gate = (i) => gates[i].promise

/** wire stands between a page and the daemon, and can be cut. */
async function wire() {
  const { hostname, port } = new URL(world.daemon.origin)
  const open = new Set()
  let whole = true
  const server = createTCP((near) => {
    if (!whole) return near.destroy()
    const far = connect(Number(port), hostname)
    for (const [a, b] of [[near, far], [far, near]]) {
      open.add(a)
      a.on('error', () => b.destroy())
      a.on('close', () => b.destroy())
      a.pipe(b)
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    at: (path) => `http://127.0.0.1:${server.address().port}${path}`,
    cut() {
      whole = false
      for (const s of open) s.destroy()
      open.clear()
    },
    mend() {
      whole = true
    },
    stop() {
      this.cut()
      server.close()
    },
  }
}

/** answer is what the model says: the last message decides. */
function answer({ text, results }) {
  if (text.includes('at work')) return ['I am', gate(3), ' done.']
  if (text.includes('slowly')) return ['It is **half', gate(0), ' done**.', gate(1), '\n\nNothing', gate(2), ' more.']
  if (text.includes('tickets')) return results.length > 0 ? `There are two of them, I looked: ${results[0].length} characters.` : [call('read_tickets', { text: 'refund' })]
  if (text.includes('send me')) return [[call('write_file', { path: 'b.txt', content: 'B\n' })], [call('send_file', { path: 'b.txt', text: 'Here it is:' })]][results.length] ?? 'You have it.'
  if (text.includes('file')) return results.length > 0 ? 'It is written.' : [call('write_file', { path: 'src/a.txt', content: 'A\n' })]
  if (text.includes('long')) return Array.from({ length: 60 }, (_, i) => `Line ${i} of a long answer.`).join('\n\n')
  return `You said: ${text.split('\n').at(-1).slice(0, 60)}`
}

before(async () => {
  model = await startModel(answer)
  world = await startDesk({ env: model.env })
  page = world.page
  project = world.project
})

after(async () => {
  for (const g of gates) g.resolve()
  await world?.stop()
  model?.stop()
})

const ask = async (method, path, data) => {
  const res = await page.request.fetch(world.at(path), { method, data, headers: { Origin: world.daemon.origin } })
  assert.ok(res.ok(), `${method} ${path}: ${await res.text()}`)
  return res.json()
}
const field = () => page.getByRole('combobox', { name: 'Message' })
const message = (role, text) => page.locator(`[data-testid=message][data-role=${role}]`).filter({ hasText: text })
const say = async (text) => {
  await field().fill(text)
  await page.keyboard.press('Enter')
}
const thread = () => new URL(page.url()).searchParams.get('thread')
const rail = () => page.getByRole('complementary', { name: 'Conversations of the project' })

test('an answer shows as it comes', async () => {
  await goTo(page, 'Chat')
  await page.getByRole('group', { name: 'Who answers' }).getByRole('button', { name: /pm/ }).click()
  await say('Tell me slowly')
  await page.getByTestId('draft').getByText('It is **half').waitFor()
  await page.getByRole('main').getByText('working', { exact: true }).waitFor()
  await shot(page, '50-writing')
})

test('a cut stream neither loses nor repeats what is written', async () => {
  const line = await wire()
  const other = await (await world.context.browser().newContext({ storageState: await world.context.storageState() })).newPage()
  await other.goto(line.at(`/chat?project=${project}&thread=${thread()}`))
  await other.getByRole('status').filter({ hasText: 'live' }).waitFor()
  gates[0].resolve()
  await page.getByTestId('draft').getByText('half done').waitFor()
  await other.getByTestId('draft').getByText('… done**.').waitFor() // it came later than the first words
  line.cut()
  await other.getByRole('status').filter({ hasText: 'connecting…' }).waitFor()
  gates[1].resolve()
  await page.getByTestId('draft').getByText('Nothing').waitFor()
  line.mend()
  await other.getByRole('status').filter({ hasText: 'live' }).waitFor()
  gates[2].resolve()
  for (const p of [page, other]) {
    const said = p.locator('[data-testid=message][data-role=agent]')
    await said.filter({ hasText: 'half done.' }).filter({ hasText: 'Nothing more.' }).waitFor()
    await p.getByTestId('draft').waitFor({ state: 'detached' })
    assert.equal(await said.count(), 1)
    assert.equal(await said.locator('strong').textContent(), 'half done')
    assert.ok(!(await p.locator('main').textContent()).includes('…'), 'no mark of a hole is left')
  }
  await other.context().close()
  line.stop()
})

test('a line that begins with a slash completes commands, which no model answers', async () => {
  const here = thread()
  await field().fill('')
  await page.keyboard.type('/')
  await page.getByRole('listbox', { name: 'Commands' }).getByRole('option', { name: /^memory/ }).waitFor()
  await page.keyboard.type('st')
  await page.waitForFunction(() => document.querySelectorAll('[role=option]').length === 2)
  await page.keyboard.press('ArrowDown')
  assert.equal(await page.getByRole('option', { selected: true }).locator('span').first().textContent(), 'stop')
  await shot(page, '51-commands')
  assert.deepEqual(await serious(page), [])
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Tab')
  assert.equal(await field().inputValue(), '/status ')
  await page.keyboard.press('Enter')
  await message('system', 'Nothing works on it.').waitFor()
  await field().fill('')
  await page.keyboard.type('/new')
  await page.keyboard.press('Enter') // the name is whole, so it is sent
  await message('system', 'This is a new conversation').waitFor()
  assert.notEqual(thread(), here)
  await field().fill('')
  await page.keyboard.type('//status')
  assert.equal(await page.getByRole('listbox').count(), 0)
  await page.goto(world.at(`/chat?project=${project}&thread=${here}`))
  await field().fill('')
})

test('Enter sends, Shift Enter begins a line, and an agent that is named answers', async () => {
  await field().fill('first')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('second @cod')
  await page.getByRole('option', { name: /coder/ }).waitFor()
  await shot(page, '51-names')
  assert.deepEqual(await serious(page), [])
  await page.keyboard.press('Tab')
  assert.equal(await field().inputValue(), 'first\nsecond @coder ')
  await field().fill('@gen')
  await page.keyboard.press('Enter')
  await page.keyboard.type('hello')
  await page.getByText('goes to generalist').waitFor()
  await page.keyboard.press('Enter')
  await message('agent', 'You said: @generalist hello').filter({ has: page.locator('b', { hasText: 'generalist' }) }).waitFor()
  assert.equal(await field().inputValue(), '')
})

test('tools are folded, with what they were asked and what came of it', async () => {
  await say('Which tickets are there?')
  await message('agent', 'There are two of them').waitFor()
  const calls = page.getByTestId('calls').filter({ hasText: 'read_tickets' })
  await calls.locator('summary').first().click()
  await calls.locator('details summary').first().click()
  await calls.locator('pre').filter({ hasText: '"text": "refund"' }).waitFor()
  await calls.getByText('READ_ONLY').waitFor()
  await shot(page, '52-calls')
})

test('a question is answered where it is asked', async () => {
  await say('@coder Write the file')
  const card = page.getByTestId('question')
  await card.getByText('+A').waitFor()
  await page.getByTestId('working').getByText('coder waits for an answer').waitFor()
  await shot(page, '53-question')
  assert.deepEqual(await serious(page), [])
  await page.keyboard.press('Escape') // leaves the field, so that the keys work
  await page.keyboard.press('d')
  await message('agent', 'It is written.').waitFor()
  await card.waitFor({ state: 'detached' })
})

test('a file that an agent sends is shown after its text, and comes down as it is', async () => {
  await say('@coder Write b and send me that')
  await page.getByTestId('question').getByRole('button', { name: 'approve' }).click()
  const sent = message('agent', 'Here it is:')
  const link = sent.getByRole('link', { name: 'b.txt' })
  await link.waitFor()
  await sent.getByText('2 bytes').waitFor()
  await message('agent', 'You have it.').waitFor()
  await shot(page, '54-file')
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  assert.equal(download.suggestedFilename(), 'b.txt')
  assert.equal(await readFile(await download.path(), 'utf8'), 'B\n')
})

test('a message that is not sent keeps its words, and is said once when it is sent again', async () => {
  await page.route('**/api/chat', (r) => r.abort(), { times: 1 })
  await say('Keep these words')
  const pending = page.getByTestId('pending')
  await pending.getByRole('alert').waitFor()
  await goTo(page, 'Runs')
  await page.goBack()
  await pending.getByText('Keep these words').waitFor()
  await shot(page, '54-not-sent')
  await page.route('**/api/chat', async (r) => { // it arrives, and the answer is lost
    await r.fetch()
    await r.abort()
  }, { times: 1 })
  await pending.getByRole('button', { name: 'Send again' }).click()
  await page.waitForFunction(() => document.querySelector('[data-testid=pending] [role=alert]'))
  await pending.getByRole('button', { name: 'Send again' }).click()
  await pending.waitFor({ state: 'detached' })
  await message('agent', 'You said: Keep these words').waitFor()
  assert.equal(await message('person', 'Keep these words').count(), 1)
  world.complaints.splice(0)
})

test('a picture goes with a message, and an answer that was not confirmed says so', async () => {
  const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
  await page.getByLabel('Pictures').setInputFiles([{ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no') }])
  await page.getByRole('alert').filter({ hasText: 'A message takes pictures' }).waitFor()
  await page.getByLabel('Pictures').setInputFiles([{ name: 'a.png', mimeType: 'image/png', buffer: pixel }, { name: 'b.png', mimeType: 'image/png', buffer: pixel }])
  await page.getByRole('button', { name: 'Leave out b.png' }).click()
  await say('Look at this')
  await page.getByAltText('with the message').waitFor()
  await page.waitForFunction(() => document.querySelector('img[alt="with the message"]')?.naturalWidth === 1)
  assert.equal(await page.getByAltText('with the message').count(), 1)
  await message('agent', 'You said').last().waitFor()
  await page.route('**/api/conversations/*/messages*', async (r) => {
    const res = await r.fetch()
    const list = await res.json()
    await r.fulfill({ response: res, json: list.map((m) => (m.role === 'agent' ? { ...m, confirmed: false, review: 'It names no ticket.', broken: true } : m)) })
  })
  await page.reload()
  await page.getByText('Not confirmed. It names no ticket.').first().waitFor()
  await page.getByText('The answer broke off here.').first().waitFor()
  await page.unroute('**/api/conversations/*/messages*')
  await page.reload()
  await page.getByText('Not confirmed.').waitFor({ state: 'detached' })
})

test('what others say is new until it is read, in every browser', async () => {
  const here = thread()
  const { threadId } = await ask('POST', '/api/chat', { projectId: project, text: 'Another matter', agent: 'pm', wait: true })
  await rail().getByRole('button', { name: /Another matter.*1 new/ }).waitFor()
  const second = await world.context.newPage()
  await second.goto(world.at(`/today?project=${project}`))
  await second.getByTestId('unread').filter({ hasText: '1' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('U')
  await page.waitForURL((u) => u.searchParams.get('thread') === threadId)
  await second.getByTestId('unread').waitFor({ state: 'detached' }) // read here, read there
  await page.getByTestId('unread').waitFor({ state: 'detached' })
  await second.close()
  await ask('POST', '/api/chat', { threadId: here, text: 'More of it', wait: true })
  await rail().getByRole('button', { name: /1 new/ }).click()
  await page.getByTestId('new').waitFor()
  await message('agent', 'You said: More of it').waitFor()
  await shot(page, '55-new')
})

test('a long conversation comes from its end, and one stays where one reads', async () => {
  const { threadId } = await ask('POST', '/api/chat', { projectId: project, text: 'whereami' })
  for (let i = 0; i < 70; i++) await ask('POST', '/api/chat', { threadId, text: 'whereami' })
  await page.goto(world.at(`/chat?project=${project}&thread=${threadId}`))
  const log = page.getByRole('log')
  await page.waitForFunction(() => {
    const b = document.querySelector('[role=log]')
    return b && b.scrollHeight > b.clientHeight && b.scrollHeight - b.scrollTop - b.clientHeight < 5
  })
  assert.equal(await page.getByTestId('message').count(), 60)
  await log.evaluate((b) => b.scrollTo({ top: 0 }))
  await page.waitForFunction(() => document.querySelectorAll('[data-testid=message]').length > 100)
  assert.ok(await log.evaluate((b) => b.scrollTop) > 200, 'older lines come in above what is read')
  await ask('POST', '/api/chat', { threadId, text: 'whereami' })
  await page.waitForFunction(() => document.querySelectorAll('[data-testid=message]').length > 143 || document.querySelector('[data-testid=unread]'))
  assert.ok(await log.evaluate((b) => b.scrollHeight - b.scrollTop - b.clientHeight) > 1000, 'what is new does not move what is read')
  await page.getByRole('button', { name: /↓/ }).click()
  await page.waitForFunction(() => {
    const b = document.querySelector('[role=log]')
    return b.scrollHeight - b.scrollTop - b.clientHeight < 5
  })
})

test('what waits for its turn is seen, and can be dropped', async () => {
  const { threadId } = await ask('POST', '/api/chat', { projectId: project, agent: 'agent:pm', text: 'Be at work' })
  await ask('POST', '/api/chat', { threadId, text: '/queue followup' })
  await page.goto(world.at(`/chat?project=${project}&thread=${threadId}`))
  await page.getByTestId('working').waitFor()
  for (const text of ['First the tickets', 'Then the rest']) assert.equal((await ask('POST', '/api/chat', { threadId, text })).queued, true)
  await page.getByTestId('held').nth(1).waitFor()
  await page.getByTestId('held').filter({ hasText: 'Then the rest' }).getByRole('button', { name: 'Delete the queued message' }).click()
  await page.waitForFunction(() => document.querySelectorAll('[data-testid=held]').length === 1)
  gates[3].resolve()
  await page.getByText('There are two of them').waitFor()
  await page.getByTestId('held').waitFor({ state: 'detached' })
})

test('a conversation is closed and goes on', async () => {
  const thread = new URL(page.url()).searchParams.get('thread')
  while ((await ask('GET', `/api/runs?thread=${thread}`)).some((r) => !['done', 'failed', 'cancelled'].includes(r.state))) await page.waitForTimeout(50) // nothing is closed while something is under way
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await page.waitForFunction(() => document.querySelector('main textarea')?.disabled)
  await page.getByRole('button', { name: 'Reopen' }).click()
  await page.waitForFunction(() => document.querySelector('main textarea')?.disabled === false)
})

test('no page complained or called elsewhere', () => assert.deepEqual(world.complaints, []))
