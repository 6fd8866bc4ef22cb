import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { shot, startBrowser, startDaemon } from './world.mjs'

const demo = join(import.meta.dirname, '../../demo')
let daemon
let world
let page

before(async () => {
  daemon = await startDaemon()
  world = await startBrowser(new URL(daemon.login).origin)
  page = await world.context.newPage()
})

after(async () => {
  await world?.browser.close()
  await daemon?.stop()
})

/** ready waits until so many intakes have gone through every phase. */
const ready = (n) => page.waitForFunction((want) => document.querySelectorAll('article[data-status=DISPATCHED]').length === want, n)

test('a stranger is told how to log in, the link logs in once', async () => {
  await page.goto(new URL('/', daemon.login).href)
  await page.getByText('Nobody is logged in').waitFor()
  world.complaints.length = 0 // the browser notes the 401
  await page.goto(daemon.login)
  await page.getByText('Make a project first').waitFor()
  const again = await page.request.get(daemon.login)
  assert.equal(again.status(), 401)
})

test('a project is made and pasted minutes become threads with the exact words', async () => {
  await page.getByLabel('Name of the project').fill('Payments')
  await page.getByText('Make the project').click()
  await page.getByLabel('Project', { exact: true }).waitFor()
  const minutes = readFileSync(join(demo, 'minutes.md'), 'utf8')
  await page.getByLabel('Paste notes').fill(minutes)
  await page.keyboard.press('Control+Enter')
  await ready(1)
  await shot(page, 'intake')
  await page.keyboard.press('Escape')
  await page.locator('nav').getByText('Threads').click()
  const first = page.locator('main details').first()
  await first.locator('summary').click()
  const quotes = await first.locator('blockquote').allTextContents()
  assert.ok(quotes.length > 0)
  for (const quote of quotes) assert.ok(minutes.includes(quote), `“${quote}” does not stand in the minutes`)
  await first.getByText(/pasted.*line \d+|line \d+/).first().waitFor()
  await shot(page, 'threads')
})

test('a dropped export becomes tickets, and the same content adds nothing', async () => {
  await page.locator('nav').getByText('Intake').click()
  await page.getByLabel('Files').setInputFiles(join(demo, 'tickets.csv'))
  await page.getByText('Take in').click()
  await ready(2)
  await page.locator('nav').getByText('Tickets').click()
  await page.locator('td').first().waitFor()
  const total = Number(await page.getByTestId('total').textContent())
  assert.ok(total >= 11, `${total} tickets`)
  await shot(page, 'tickets')
  await page.locator('nav').getByText('Intake').click()
  await page.getByLabel('Files').setInputFiles(join(demo, 'tickets.csv'))
  await page.getByText('Take in').click()
  await page.getByText('The same content was taken in before').waitFor()
})

test('a file that cannot be read ends as a sentence', async () => {
  await page.getByLabel('Files').setInputFiles({ name: 'photo.csv', mimeType: 'text/csv', buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, 0, 0]) })
  await page.getByText('Take in').click()
  await page.locator('.bad').filter({ hasText: 'photo.csv' }).first().waitFor()
  await shot(page, 'bad')
})

test('a question is answered from the records, and a citation opens the record', async () => {
  await page.locator('nav').getByText('Ask').click()
  await page.getByLabel('Question').fill('Which developer has the most capacity?')
  await page.keyboard.press('Enter')
  const answer = page.getByTestId('answer')
  await answer.getByText('RESOURCE CAPACITY SUMMARY').waitFor()
  await shot(page, 'ask')
  await answer.locator('a.cite').first().click()
  await page.getByText('Where it comes from').waitFor()
  assert.match(page.url(), /\/records\/(res|tkt|obj|thr)_/)
  await page.reload()
  await page.getByText('Where it comes from').waitFor()
  await shot(page, 'record')
})

test('the keyboard goes everywhere', async () => {
  await page.locator('main h2').click()
  for (const [key, heading] of [['t', 'Threads'], ['k', 'Tickets'], ['p', 'People and capacity'], ['o', 'Objectives'], ['d', 'Delta packs'], ['r', 'Runs'], ['g', 'Agents'], ['l', 'Log'], ['i', 'Intake']]) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await page.locator('main h2').filter({ hasText: heading }).waitFor()
  }
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('a run shows its steps and the log verifies', async () => {
  await page.locator('nav').getByText('Runs').click()
  await page.locator('td a').first().click()
  await page.getByRole('heading', { name: 'Steps' }).waitFor()
  assert.ok((await page.locator('main details').count()) > 0)
  await shot(page, 'run')
  await page.locator('nav').getByText('Log').click()
  await page.getByText('Verify').click()
  await page.getByText(/events in \d+ streams verify/).waitFor()
  await shot(page, 'log')
})

test('a conversation without a model says what it can, in two tabs at once', async () => {
  await page.locator('nav').getByText('Chat').click()
  await page.getByLabel('Message').fill('whereami')
  await page.keyboard.press('Enter')
  await page.locator('article.message').filter({ hasText: 'Payments' }).first().waitFor()
  const other = await world.context.newPage()
  await other.goto(new URL('/tickets', daemon.login).href)
  await other.locator('td').first().waitFor()
  const before = Number(await other.getByTestId('total').textContent())
  const project = await other.getByLabel('Project', { exact: true }).inputValue()
  const made = await page.request.post(new URL(`/api/projects/${project}/tickets`, daemon.login).href, { data: { title: 'From elsewhere' }, headers: { Origin: new URL(daemon.login).origin } })
  assert.equal(made.status(), 201)
  await other.getByText('From elsewhere').waitFor()
  assert.equal(Number(await other.getByTestId('total').textContent()), before + 1)
  await other.close()
  await shot(page, 'chat')
})

test('every field has a name, and a narrow window needs no sideways scrolling', async () => {
  for (const [width, height] of [[1280, 800], [390, 844]]) {
    await page.setViewportSize({ width, height })
    for (const path of ['/', '/threads', '/tickets', '/people', '/ask', '/chat', '/runs', '/log']) {
      await page.goto(new URL(path, daemon.login).href)
      await page.locator('main h2, main form').first().waitFor()
      const nameless = await page.evaluate(() => [...document.querySelectorAll('input, textarea, select')].filter((e) => !e.getAttribute('aria-label') && !e.closest('label')).length)
      assert.equal(nameless, 0, `${path} has fields without a name`)
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      assert.ok(wide <= 0, `${path} is ${wide} px too wide at ${width}`)
    }
    await shot(page, `at-${width}`)
  }
})

test('no page complained or called elsewhere', () => {
  assert.deepEqual(world.complaints, [])
})
