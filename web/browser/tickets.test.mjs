// Tickets by the keyboard: moving, editing in place, editing many, two editors, ten thousand of them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { demo, makeProject, shot, startWorld, takenIn } from './world.mjs'

let world
let page
let project

before(async () => {
  world = await startWorld()
  page = world.page
  await page.goto(world.daemon.login)
  await makeProject(page, 'Payments')
  project = await page.getByLabel('Project', { exact: true }).inputValue()
  await page.getByLabel('Files').setInputFiles(demo('tickets.csv'))
  await page.getByRole('button', { name: 'Take in' }).click()
  await takenIn(page, 1)
})

after(() => world?.stop())

/** row is the row of the ticket with this title. */
const row = (title) => page.getByRole('row').filter({ has: page.getByRole('link', { name: title }) })

/** choose moves down until the ticket with this title is the chosen one. */
async function choose(title) {
  for (let i = 0; i < 20; i++) {
    await page.keyboard.press('j')
    if (await page.locator('tr[aria-current]').filter({ hasText: title }).count()) return
  }
  throw new Error(`${title} was not reached`)
}

test('a ticket is found, edited and opened without a mouse', async () => {
  await page.goto(world.at(`/tickets?project=${project}`))
  await row('Retry queue with backoff').waitFor()
  await choose('Retry queue with backoff')
  await page.keyboard.press('e')
  const form = page.getByRole('form', { name: 'Edit Retry queue with backoff' })
  await form.getByLabel('Title').fill('Retry queue with jitter')
  await form.getByLabel('New status').selectOption('REVIEW')
  await form.getByLabel('Points').fill('13')
  await form.getByLabel('Owner').fill('Alice Chen')
  await shot(page, '50-edit')
  await page.keyboard.press('Enter')
  await form.waitFor({ state: 'detached' })
  const cells = await row('Retry queue with jitter').locator('td').allTextContents()
  assert.deepEqual(cells.slice(2, 6), ['REVIEW', 'HIGH', '13', 'Alice Chen'])
  await page.keyboard.press('Enter')
  await page.getByText('Where it comes from').waitFor()
})

test('of two editors none overwrites the other unseen', async () => {
  await page.goto(world.at(`/tickets?project=${project}`))
  const id = (await row('Load test').getByRole('link').getAttribute('href')).split('/').pop().split('?')[0]
  await choose('Load test for the retry queue')
  await page.keyboard.press('e')
  const form = page.getByRole('form', { name: /^Edit Load test/ })
  await form.getByLabel('Priority').selectOption('LOW')
  const changed = await page.request.patch(world.at(`/api/projects/${project}/tickets/${id}`), { data: { status: 'BLOCKED' }, headers: { Origin: world.daemon.origin } })
  assert.equal(changed.status(), 200)
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByText('status is now BLOCKED').waitFor()
  world.complaints.length = 0 // the browser notes the 409
  await shot(page, '51-conflict')
  await form.getByRole('button', { name: 'Keep mine' }).click()
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'detached' })
  const cells = await row('Load test').locator('td').allTextContents()
  assert.deepEqual(cells.slice(2, 4), ['BLOCKED', 'LOW'], 'both changes hold')
})

test('many tickets are given a value, after a look at what would change', async () => {
  await page.goto(world.at(`/tickets?project=${project}`))
  await row('Audit trail').waitFor()
  await choose('Audit trail')
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  const form = page.getByRole('form', { name: 'Edit the marked tickets' })
  await form.getByText('2 tickets marked').waitFor()
  await form.getByLabel('Field').selectOption('sprint')
  await form.getByLabel('Value').fill('Sprint 8')
  await form.getByRole('button', { name: 'Preview' }).click()
  await shot(page, '52-bulk')
  await form.getByRole('button', { name: 'Change 2 tickets' }).click()
  await form.waitFor({ state: 'detached' })
  await page.getByLabel('Filter').fill('sprint:"Sprint 8"')
  await page.getByLabel('Filter').press('Enter')
  await page.waitForFunction(() => document.querySelector('[data-testid=total]')?.textContent === '2')
})

test('ten thousand tickets are as quick to move in as ten', async () => {
  const lines = ['Issue key,Summary,Status,Assignee', ...Array.from({ length: 10_000 }, (_, i) => `BIG-${i + 1},Ticket number ${i + 1},Open,Ann Lee`)]
  await page.goto(world.at('/'))
  await makeProject(page, 'Big')
  const big = await page.getByLabel('Project', { exact: true }).inputValue()
  await page.getByLabel('Files').setInputFiles({ name: 'jira.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) })
  await page.getByRole('button', { name: 'Take in' }).click()
  await takenIn(page, 1)
  await page.goto(world.at(`/tickets?project=${big}`))
  await page.waitForFunction(() => document.querySelector('[data-testid=total]')?.textContent === '10000')
  await row('Ticket number').first().waitFor()
  const reach = async (want) => {
    await page.evaluate(() => document.querySelector('[data-testid=pane]').scrollTo(0, 1e9))
    await page.waitForFunction((n) => Number(document.querySelector('main table').getAttribute('aria-rowcount')) > n, want)
  }
  for (const n of [201, 401, 601, 801, 1001]) await reach(n)
  assert.ok((await page.locator('tbody tr').count()) < 150, 'only the rows that can be seen are in the page')
  const took = await page.evaluate(async () => {
    const times = []
    for (let i = 0; i < 20; i++) {
      const begun = performance.now()
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }))
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
      times.push(performance.now() - begun)
    }
    return times.sort((a, b) => a - b)[10]
  })
  console.log(`a key answers within ${took.toFixed(0)} ms (median of 20)`)
  await shot(page, '53-ten-thousand')
})

test('no page complained or called elsewhere', () => {
  assert.deepEqual(world.complaints, [])
})
