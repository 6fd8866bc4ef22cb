// What somebody else wrote is shown, and does nothing: scripts, links and pictures in records, answers and file names.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startModel } from './model.mjs'
import { shot, startDesk, takenIn, views } from './world.mjs'

let world
let page
let model
let project
let thread
let record
let minutes

const script = '<img src=x onerror="globalThis.hit=1"><script>globalThis.hit=2</script><svg onload=globalThis.hit=3>'
/** said is what the model answers: every way in which Markdown could run, load or leave. */
const said = [
  `HTML: ${script}`, '[harmless](javascript:globalThis.hit=4)', '[mixed](JaVa\tScRiPt:globalThis.hit=5)', '[data](data:text/html,<script>globalThis.hit=6</script>)',
  '<javascript:globalThis.hit=7>', '![picture](http://evil.example/pixel.png)', '![x](javascript:globalThis.hit=8)', '[outside](http://evil.example/steal?x=1)', 'Bare: http://evil.example/bare',
  '[log me out](/api/login)', '| a | b |\n|---|---|\n| <b onclick="globalThis.hit=9">x</b> | [y](javascript:globalThis.hit=10) |', '```html\n<script>globalThis.hit=11</script>\n```',
  `[ref]\n\n[ref]: javascript:globalThis.hit=12`, '<style>body{display:none}</style>',
].join('\n\n')

const call = async (method, path, data) => {
  const res = await page.request.fetch(world.at(path), { method, data, headers: { Origin: world.daemon.origin } })
  assert.ok(res.ok(), `${method} ${path}: ${await res.text()}`)
  return res.json()
}
const keep = (plural, data) => call('POST', `/api/projects/${project}/${plural}`, data)

before(async () => {
  model = await startModel(({ tools }) => (tools?.length ? said : 'no'))
  world = await startDesk({ env: model.env, name: `Hostile ${script}` })
  page = world.page
  project = world.project
  const evil = (more) => ({ title: `T ${script} javascript:globalThis.hit=20`, ...more })
  const ticket = await keep('tickets', evil({ description: said, owner: `Ann ${script}`, dueDate: '2020-01-01', status: 'IN_PROGRESS', externalRef: `<b>${script}`, labels: [script] }))
  record = ticket.id
  minutes = await keep('threads', evil({
    summary: said, content: said, attendees: [script], decisions: [{ text: said, decidedBy: script }], actions: [{ text: said, assignee: script, ticketId: ticket.id }], openQuestions: [said],
    evidence: [{ snippet: said, author: script, reference: 'javascript:globalThis.hit=21', date: '2026-01-01' }],
  }))
  await keep('objectives', { outcome: `O ${said}`, sprintName: script, ticketIds: [ticket.id] })
  await keep('links', { title: script, url: 'http://evil.example/link', description: said })
  await keep('ideas', { title: script, content: said })
  await keep('blindspots', { title: script, category: 'STALE_ARTIFACT', description: said })
  await keep('memories', { key: 'evil', content: said, tags: [script] })
  await keep('reminders', { message: script, triggerAt: '2030-01-01' })
  thread = (await call('POST', '/api/chat', { projectId: project, agent: 'pm', text: said, wait: true })).threadId
  await page.goto(world.at(`/?project=${project}`))
  await page.getByLabel('Files').setInputFiles([{ name: `${'<img src=x onerror=globalThis.hit=30>'}.csv`, mimeType: 'text/csv', buffer: Buffer.from(`Title,Status,Assignee\n"T2 ${script.replaceAll('"', '""')}",Open,Ann\n`) }])
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await takenIn(page, 1)
})

after(async () => {
  await world?.stop()
  model?.stop()
})

/**
 * harmless fails when anything ran, was loaded from elsewhere, or leads somewhere without being pressed;
 * only a record that is a link leads there, to the web, and tells nothing of where one was.
 */
async function harmless(p, where) {
  const found = await p.evaluate((own) => ({
    hit: globalThis.hit,
    scripts: document.querySelectorAll('body script, main style, main iframe, main object, main embed, main svg[onload]').length,
    handlers: [...document.querySelectorAll('*')].filter((e) => [...e.attributes].some((a) => a.name.startsWith('on'))).length,
    links: [...document.querySelectorAll('a[href]')].filter((a) => !a.href.startsWith(own) && !(a.href === 'http://evil.example/link' && a.target === '_blank' && a.relList.contains('noopener') && a.relList.contains('noreferrer'))).map((a) => a.href),
    pictures: [...document.querySelectorAll('img')].filter((i) => !i.src.startsWith(own)).map((i) => i.src),
  }), world.daemon.origin)
  assert.deepEqual(found, { hit: undefined, scripts: 0, handlers: 0, links: [], pictures: [] }, where)
}

test('no view runs, loads or follows what is written in records', async () => {
  const words = { '/threads': `&thread=${minutes.id}`, '/chat': `&thread=${thread}`, '/search': '&q=onerror' }
  for (const path of [...views, `/records/${record}`, `/records/${minutes.id}`]) {
    await page.goto(world.at(`${path}?project=${project}${words[path] ?? ''}`))
    await page.locator('main h2').first().waitFor({ state: 'attached' })
    await page.waitForFunction(() => !document.querySelector('main')?.textContent.includes('Loading…'))
    await page.evaluate(() => {
      for (const d of document.querySelectorAll('main details')) d.open = true
    })
    await harmless(page, path)
  }
})

test('an answer keeps its words: HTML is text, a picture is an address, a script is no link', async () => {
  await page.goto(world.at(`/chat?project=${project}&thread=${thread}`))
  const answer = page.locator('[data-testid=message][data-role=agent]').last()
  await answer.getByText('globalThis.hit=2').waitFor()
  await answer.getByText('picture: picture').waitFor()
  await shot(page, '80-hostile')
  for (const name of ['harmless', 'mixed', 'data', 'log me out', 'y']) assert.equal(await answer.getByRole('button', { name, exact: true }).count() + await answer.getByRole('link', { name, exact: true }).count(), 0, `${name} leads nowhere`)
  for (const b of await answer.getByRole('button').all()) await b.click()
  assert.equal(await page.evaluate(() => globalThis.hit), undefined)
  assert.equal(new URL(page.url()).pathname, '/chat')
})

test('a link shows where it leads, and leads there without telling from where', async () => {
  await page.reload()
  const answer = page.locator('[data-testid=message][data-role=agent]').last()
  assert.equal(await answer.getByRole('link', { name: /evil/ }).count(), 0)
  await answer.getByRole('button', { name: 'outside', exact: true }).click()
  const link = answer.getByRole('link', { name: 'Open http://evil.example/steal?x=1' })
  assert.deepEqual(await link.evaluate((a) => [a.target, a.rel, a.textContent]), ['_blank', 'noopener noreferrer', 'http://evil.example/steal?x=1'])
  const asked = []
  await world.context.route('http://evil.example/**', (r) => {
    asked.push([r.request().url(), r.request().headers().referer])
    return r.fulfill({ body: '<script>globalThis.from = [!!opener, document.referrer]</script>', contentType: 'text/html' })
  })
  const [other] = await Promise.all([world.context.waitForEvent('page'), link.click()])
  await other.waitForLoadState()
  assert.deepEqual(await other.evaluate(() => globalThis.from), [false, ''])
  assert.deepEqual(asked[0], ['http://evil.example/steal?x=1', undefined])
  await other.close()
  assert.deepEqual(world.complaints.splice(0).filter((c) => !c.includes('evil.example')), [])
})

test('what is being written does nothing either', async () => {
  await page.reload()
  await page.getByTestId('message').first().waitFor()
  await page.evaluate((text) => {
    for (const [at, part] of [[0, text.slice(0, 40)], [40, text.slice(40)]]) {
      dispatchEvent(new CustomEvent('chela-tick', { detail: { thread: new URL(location.href).searchParams.get('thread'), run: 'run_x', agent: 'agent:pm', kind: 'delta', text: part, at } }))
    }
  }, said)
  await page.getByTestId('draft').waitFor()
  await harmless(page, 'the draft')
  assert.deepEqual(world.complaints, [])
})
