// A server that asks for a login, in the view of doors: an owner logs in there, and comes back.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { startWorld } from './world.mjs'

let world
let page
let guarded

/** startGuarded starts an MCP server of one tool, whose authorization server is at the same address and lets in who asks. */
async function startGuarded() {
  const server = createServer(async (req, res) => {
    let body = ''
    for await (const part of req) body += part
    const at = `http://${req.headers.host}`
    const url = new URL(req.url, at)
    const say = (v, code = 200) => res.writeHead(code, { 'Content-Type': 'application/json' }).end(JSON.stringify(v))
    switch (url.pathname) {
      case '/.well-known/oauth-protected-resource/mcp':
        return say({ resource: `${at}/mcp`, authorization_servers: [at] })
      case '/.well-known/oauth-authorization-server':
        return say({ issuer: at, authorization_endpoint: `${at}/authorize`, token_endpoint: `${at}/token`, registration_endpoint: `${at}/register`, code_challenge_methods_supported: ['S256'], response_types_supported: ['code'], token_endpoint_auth_methods_supported: ['none'] })
      case '/register':
        return say({ ...JSON.parse(body), client_id: 'us' }, 201)
      case '/authorize': {
        const back = new URL(url.searchParams.get('redirect_uri'))
        for (const [k, v] of [['code', 'right'], ['state', url.searchParams.get('state')]]) back.searchParams.set(k, v)
        return res.writeHead(200, { 'Content-Type': 'text/html' }).end(`<p>Let Chela in? <a href="${back.href.replaceAll('&', '&amp;')}">Yes</a>`)
      }
      case '/token':
        return say({ access_token: 'access', token_type: 'Bearer', expires_in: 3600 })
    }
    if (req.headers.authorization !== 'Bearer access') return res.writeHead(401, { 'WWW-Authenticate': `Bearer resource_metadata="${at}/.well-known/oauth-protected-resource/mcp"` }).end()
    if (req.method !== 'POST') return res.writeHead(405).end()
    const call = JSON.parse(body)
    const gives = {
      initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'guarded', version: '1' } },
      'tools/list': { tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }] },
    }[call.method]
    if (call.id === undefined) return res.writeHead(202).end()
    return say(gives ? { jsonrpc: '2.0', id: call.id, result: gives } : { jsonrpc: '2.0', id: call.id, error: { code: -32601, message: 'no' } })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, stop: () => server.close() }
}

before(async () => {
  guarded = await startGuarded()
  world = await startWorld()
  page = world.page
})
after(async () => {
  await world?.stop()
  guarded?.stop()
})

test('an owner logs in to a server that asks for it, and comes back', async () => {
  await page.goto(world.daemon.login)
  await page.goto(world.at('/doors'))
  const form = page.getByRole('form', { name: 'New MCP server' })
  await form.getByLabel('Name of the server').fill('hub')
  await form.getByLabel('Address or program of the server').fill(guarded.url)
  await form.getByRole('checkbox', { name: 'its address is inside' }).check()
  await form.getByRole('button', { name: 'Add a server' }).click()
  await page.getByRole('button', { name: 'Log in to hub' }).click()
  await page.getByRole('link', { name: 'Yes' }).click()
  await page.waitForURL(world.at('/doors'))
  await page.getByRole('button', { name: 'Look at the tools of hub' }).click()
  await page.getByRole('button', { name: 'Accept the tools of hub' }).click()
  await page.getByRole('cell', { name: '1 of 1' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Log in to hub' }).count(), 0)
})

test('a key says what is counted of its use, not that it is unused', async () => {
  const row = page.getByRole('row').filter({ hasText: 'partner' })
  await page.getByRole('form', { name: 'New key' }).getByLabel('What the key is for').fill('partner')
  await page.getByRole('button', { name: 'Make a key' }).click()
  await row.waitFor()
  const used = await page.request.get(world.at('/api/projects'), { headers: { Authorization: `Bearer ${await page.getByTestId('key-token').textContent()}` } })
  assert.ok(used.ok(), await used.text())
  assert.equal(await row.locator('td[data-head="Models used in 30 days"]').textContent(), 'none')
})

test('a tracker is read live: what is set up is read at once, and hostile titles stay text', async () => {
  const issue = { number: 7, title: '<img src=x onerror="document.title=1">', state: 'open', html_url: 'https://github.com/acme/web/issues/7', user: { login: 'ann' }, assignees: [], labels: [], created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-02T00:00:00Z', body: '' }
  const github = createServer((_, res) => res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify([issue])))
  await new Promise((resolve) => github.listen(0, '127.0.0.1', resolve))
  const made = await page.request.post(world.at('/api/projects'), { data: { name: 'Web' }, headers: { Origin: world.daemon.origin } })
  assert.ok(made.ok(), await made.text())
  await page.goto(world.at('/doors'))
  const form = page.getByRole('form', { name: 'New tracker' })
  await form.getByLabel('Name of the tracker').fill('web')
  await form.getByLabel('What of it is read').fill('acme/web')
  await form.getByLabel('Address of the tracker').fill(`http://127.0.0.1:${github.address().port}`)
  await form.getByRole('button', { name: 'Read it live' }).click()
  await page.getByRole('button', { name: 'Read the tracker web now' }).click()
  await page.getByText('1 new, 0 changed').waitFor()
  page.once('dialog', (d) => d.accept())
  await page.getByRole('button', { name: 'Remove the tracker web' }).click()
  await page.getByText('No tracker is read live.').waitFor()
  github.close()
})
