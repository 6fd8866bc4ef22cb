// What an agent asks before it acts, answered on the page.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { goTo, shot, startWorld } from './world.mjs'

let world
let page
let model

/** calls is what the model asks for: two files in one answer, then it tells what came of them. */
const calls = [
  { path: 'src/hello.txt', content: 'Hello\n' },
  { path: 'src/pay\u200Bload.txt', content: 'bad\n' },
]

before(async () => {
  model = createServer((req, res) => {
    let body = ''
    req.on('data', (d) => {
      body += d
    })
    req.on('end', () => {
      const { messages, stream } = JSON.parse(body)
      const results = messages.filter((m) => m.role === 'tool').map((m) => m.content)
      const message = results.length > 0
        ? { role: 'assistant', content: `It ended: ${results.join(' | ')}` }
        : { role: 'assistant', content: null, tool_calls: calls.map((c, i) => ({ index: i, id: `c${i}`, type: 'function', function: { name: 'write_file', arguments: JSON.stringify(c) } })) }
      const finish = results.length > 0 ? 'stop' : 'tool_calls'
      if (!stream) {
        res.setHeader('Content-Type', 'application/json')
        res.end(JSON.stringify({ model: 'fake', choices: [{ message, finish_reason: finish }], usage: { prompt_tokens: 1, completion_tokens: 1 } }))
        return
      }
      res.setHeader('Content-Type', 'text/event-stream')
      for (const choice of [{ delta: message }, { delta: {}, finish_reason: finish }]) res.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`)
      res.end('data: [DONE]\n\n')
    })
  })
  await new Promise((resolve) => model.listen(0, '127.0.0.1', resolve))
  world = await startWorld({ OPENAI_BASE_URL: `http://127.0.0.1:${model.address().port}/v1`, OPENAI_MODEL: 'fake' })
  page = world.page
  await page.goto(world.daemon.login)
  await page.getByText('Make a project first').waitFor()
})

after(async () => {
  await world?.stop()
  model?.closeAllConnections()
  model?.close()
})

/** ask has the coder write its two files. */
async function ask() {
  const res = await page.request.post(world.at('/api/chat'), { data: { agent: 'coder', text: 'Write the files' }, headers: { Origin: world.daemon.origin } })
  assert.ok(res.ok(), await res.text())
  return res.json()
}

test('a question shows what would be written, and what is hidden in it', async () => {
  await ask()
  await goTo(page, 'Approvals')
  const card = page.getByTestId('question')
  await card.waitFor()
  await card.getByText('coder wants to call write_file.').waitFor()
  await card.getByText('+Hello').waitFor()
  await card.getByText('U+200B').first().waitFor()
  assert.equal(await card.getByRole('checkbox').count(), 2)
  await shot(page, '40-approval')
})

test('one of two calls is approved, and the run tells what came of it', async () => {
  const card = page.getByTestId('question')
  await card.getByRole('checkbox').nth(1).uncheck()
  await card.getByRole('button', { name: 'approve' }).click()
  await page.getByText('Nothing waits for you.').waitFor()
  await page.getByLabel('Show answered').check()
  await page.getByText('approve coder write_file').click()
  await page.getByText('answered: approve').waitFor()
  await page.getByRole('link', { name: 'The run' }).first().click()
  await page.getByText(/done/).first().waitFor()
  await shot(page, '41-approved')
})

test('a denial tells the agent why', async () => {
  const { threadId } = await ask()
  await goTo(page, 'Approvals')
  const card = page.getByTestId('question').first()
  await card.getByLabel('Note').fill('Not on a Friday.')
  await card.getByRole('button', { name: 'deny' }).click()
  let said = []
  while (!said.some((m) => m.role === 'agent')) {
    said = await (await page.request.get(world.at(`/api/conversations/${threadId}/messages`))).json()
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
  }
  assert.match(said.at(-1).message, /Not on a Friday\./)
})

test('a review shows what it is about, and is passed with reasons alone', async () => {
  const headers = { Origin: world.daemon.origin }
  const source = 'slug: notes\nname: Notes\nsteps:\n  - id: write\n    transform: "The notes name each change."\n    review: {by: [{role: editor}]}\n    contract: [{verdict: true}]\n'
  for (const [path, data] of [['/api/workflows', { source }], ['/api/workflows/notes/deploy', {}], ['/api/workflows/notes/run', {}]]) {
    const res = await page.request.post(world.at(path), { data, headers })
    assert.ok(res.ok(), await res.text())
  }
  await goTo(page, 'Approvals')
  const card = page.getByTestId('question').filter({ hasText: 'Review write of Notes.' })
  await card.getByText('The notes name each change.').waitFor()
  assert.ok(await card.getByRole('button', { name: 'approve' }).isDisabled())
  await card.getByLabel('Note').fill('I read them.')
  await card.getByRole('button', { name: 'approve' }).click()
  await card.waitFor({ state: 'detached' })
  for (let state = ''; state !== 'done';) {
    state = (await (await page.request.get(world.at('/api/runs'))).json()).find((r) => r.title === 'Notes').state
    assert.notEqual(state, 'failed')
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
  }
})

test('no page complained or called elsewhere', () => assert.deepEqual(world.complaints, []))
