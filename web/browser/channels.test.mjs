// Chat platforms: adding one, letting people in, seeing what was sent and sending it again.
import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { shot, startWorld } from './world.mjs'

let world
let page
let server
let answer = 200
const posts = []
const key = randomBytes(32)
const sign = (id, at, body) => `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`

before(async () => {
  server = createServer(async (req, res) => {
    let body = ''
    for await (const part of req) body += part
    if (answer === 200) posts.push(JSON.parse(body).text)
    res.writeHead(answer).end(JSON.stringify({ id: `p${posts.length}` }))
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  world = await startWorld()
  page = world.page
  await page.goto(world.daemon.login)
})

after(async () => {
  await world?.stop()
  server.close()
})

/** say posts a message as the platform does, and returns the status. */
async function say(id, sender, text, more = {}) {
  const body = JSON.stringify({ id, chat: 'c1', sender: { id: sender, name: 'Ann <b>of</b> Payments' }, text, ...more })
  const at = String(Math.floor(Date.now() / 1000))
  const res = await fetch(world.at('/channels/portal'), { method: 'POST', body, headers: { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': sign(id, at, body) } })
  return res.status
}

test('a channel is added and stands', async () => {
  await page.goto(world.at('/channels'))
  await page.getByText('No chat platform is connected').waitFor()
  await page.getByLabel('Platform').selectOption('webhook')
  await page.getByLabel('Name of the channel').fill('portal')
  await page.getByLabel('Secret secret').fill('not a secret of a webhook')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('alert').getByText('whsec_').waitFor()
  await page.getByLabel('Secret secret').fill(`whsec_${key.toString('base64')}`)
  if (!(await page.getByLabel('Setting url').isVisible())) await page.getByText(/^More:/).click()
  await page.getByLabel('Setting url').fill(`http://127.0.0.1:${server.address().port}/`)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('Added').first().waitFor()
  await page.getByText(/^up since/).waitFor()
  assert.equal(await page.getByRole('form', { name: 'Channel' }).count(), 0, 'the form is gone, and with it the secret')
})

test('a stranger is let in, and then is answered', async () => {
  assert.equal(await say('m1', 'u1', 'whereami'), 204)
  const asks = page.getByText('u1 on portal')
  await asks.waitFor()
  await shot(page, '90-channels')
  const code = await page.locator('form code').textContent()
  assert.match(posts.join('\n'), new RegExp(code))
  await page.getByLabel('Who u1 is').selectOption({ index: 1 })
  await page.getByRole('button', { name: 'Pair', exact: true }).click()
  await asks.waitFor({ state: 'detached' })
  assert.equal(await say('m2', 'u1', 'whereami'), 204)
  await page.getByRole('cell', { name: 'sent', exact: true }).nth(1).waitFor()
  assert.match(posts.at(-1), /new conversation/)
})

test('what the platform refuses is shown, and sent again', async () => {
  answer = 404
  assert.equal(await say('m3', 'u1', 'where am I?'), 204)
  await page.getByText('404 Not Found').waitFor()
  const count = posts.length
  answer = 200
  await page.getByRole('button', { name: 'Send again to c1' }).click()
  await page.getByText('404 Not Found').waitFor({ state: 'detached' })
  assert.equal(posts.length, count + 1)
})

test('what people change and think is shown in the conversation', async () => {
  const [{ id }] = await (await page.request.get(world.at('/api/conversations'))).json()
  await page.goto(world.at(`/chat?thread=${id}`))
  const log = page.getByRole('log')
  await log.getByText('whereami', { exact: true }).waitFor()
  assert.equal(await say('m2', 'u1', 'Where are we?', { what: 'edited' }), 204)
  await log.getByText('Where are we?').waitFor()
  await log.getByText('edited', { exact: true }).waitFor()
  assert.equal(await say('r1', 'u1', '👍', { what: 'reacted', reply_to: 'p2' }), 204)
  await page.getByTestId('reactions').getByText('👍 1').waitFor()
  await shot(page, '91-reactions')
  assert.equal(await say('m2', 'u1', '', { what: 'deleted' }), 204)
  await log.getByText('took this message back').waitFor()
  await page.goto(world.at('/channels'))
})

test('it is forgotten', async () => {
  page.once('dialog', (d) => d.accept())
  await page.getByRole('button', { name: 'Remove portal' }).click()
  await page.getByText('No chat platform is connected').waitFor()
  assert.equal(await say('m4', 'u1', 'whereami'), 404)
})

test('no page complained or called elsewhere', () => assert.deepEqual(world.complaints.filter((c) => !/Failed to load resource/.test(c)), []))
