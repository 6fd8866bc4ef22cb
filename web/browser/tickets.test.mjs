// Tickets by the keyboard: moving, editing in place, editing many, two editors, ten thousand of them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeProject, shot, startDesk, takenIn } from './world.mjs'
import { serious } from './axe.mjs'

let world
let page
let project

before(async () => {
  world = await startDesk({ files: ['tickets.csv'] })
  page = world.page
  project = world.project
})

after(() => world?.stop())

/** row is the row of the ticket with this title. */
const row = (title) => page.getByRole('row').filter({ has: page.getByRole('link', { name: title }) })

/** choose moves down until the ticket with this title is the chosen one. */
async function choose(title) {
  for (let i = 0; i < 20; i++) {
    if (await page.locator('tr[aria-current]').filter({ hasText: title }).count()) return
    await page.keyboard.press('j')
    await page.evaluate(() => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen))))
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
  assert.deepEqual(cells.slice(2, 6), ['Review', 'High', '13', 'Alice Chen'])
  await page.keyboard.press('Enter')
  await page.getByText('Where it comes from').waitFor()
})

test('n goes back to a form that is open, so that no key of what is typed changes a ticket', async () => {
  await page.goto(world.at(`/tickets?project=${project}`))
  await row('Audit trail').waitFor()
  const titles = () => page.getByRole('table').getByRole('link').allTextContents()
  const before = await titles()
  await page.keyboard.press('n')
  const title = page.getByRole('form', { name: 'New ticket' }).getByLabel('What is to be done')
  await title.fill('first')
  await page.getByRole('heading', { name: /^Tickets/ }).click()
  await page.evaluate(() => document.activeElement.blur())
  await page.keyboard.press('n')
  await page.keyboard.type(' or second')
  assert.equal(await title.inputValue(), 'first or second', 'what was written stays, and is gone on with')
  assert.deepEqual(await titles(), before)
  await page.keyboard.press('Escape')
  await title.waitFor({ state: 'detached' })
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
  assert.deepEqual(cells.slice(2, 4), ['Blocked', 'Low'], 'both changes hold')
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
  await page.keyboard.press('i')
  await page.keyboard.type('Sprint 8')
  const would = form.getByRole('list', { name: 'What would change' })
  await would.getByText('sprint').first().waitFor()
  assert.equal(await would.getByRole('listitem').count(), 2)
  await page.keyboard.press('Escape') // to the rows, with the marks
  await page.keyboard.press('a')
  await page.keyboard.type('Joe Martinez')
  await form.getByRole('button', { name: 'Change 2 tickets' }).and(page.locator(':enabled')).waitFor()
  await would.getByText('owner').first().waitFor()
  assert.match(await would.getByRole('listitem').first().textContent(), /sprint.*Sprint 8.*owner.*Joe Martinez/)
  assert.deepEqual(await serious(page), [])
  await shot(page, '52-bulk')
  await page.keyboard.press('Enter')
  await form.waitFor({ state: 'detached' })
  await page.getByLabel('Filter').fill('sprint:"Sprint 8"')
  await page.getByLabel('Filter').press('Enter')
  await page.waitForFunction(() => document.querySelector('[data-testid=total]')?.textContent === '2')
})

test('ranges are marked with Shift, by keys and by the mouse, and let go', async () => {
  await page.goto(world.at(`/tickets?project=${project}`))
  await row('Audit trail').waitFor()
  const form = page.getByRole('form', { name: 'Edit the marked tickets' })
  const says = (n) => form.getByText(`${n} tickets marked`).waitFor()
  const titles = await page.locator('tbody tr td[data-head=Title]').allTextContents()
  await choose(titles[0])
  for (const n of [2, 3, 4]) {
    await page.keyboard.press('Shift+J')
    await says(n)
  }
  await page.keyboard.press('Shift+K')
  await says(3)
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
  await row(titles[1]).locator('td').first().click()
  await row(titles[3]).locator('td').first().click({ modifiers: ['Shift'] })
  await says(3)
  await page.keyboard.press('*')
  await says(titles.length)
  await page.keyboard.press('s')
  await page.keyboard.press('Escape')
  await says(titles.length) // leaving a field keeps the marks
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
})

test('a change is told, and taken back by Ctrl Z or its button, of one ticket and of many', async () => {
  await page.goto(world.at(`/tickets?project=${project}&filter=sprint%3A%22Sprint+8%22`))
  await row('Audit trail').waitFor()
  await choose('Audit trail')
  await page.keyboard.press('>')
  await page.getByText('PAY-206: In progress').first().waitFor()
  await row('Audit trail').filter({ hasText: 'In progress' }).waitFor()
  await page.keyboard.press('Control+z')
  await row('Audit trail').filter({ hasText: 'To do' }).waitFor()
  await page.getByText('Taken back: PAY-206: In progress').first().waitFor()
  for (const key of ['x', 'j', 'x']) await page.keyboard.press(key)
  const form = page.getByRole('form', { name: 'Edit the marked tickets' })
  await form.getByText('2 tickets marked').waitFor()
  await page.keyboard.press('s')
  await form.getByLabel('Status').selectOption('REVIEW')
  await form.getByRole('button', { name: 'Change 2 tickets' }).click()
  await page.waitForFunction(() => [...document.querySelectorAll('tbody tr')].filter((tr) => tr.textContent.includes('Review')).length === 2)
  await page.getByText('Changed 2 tickets').first().locator('..').getByRole('button', { name: /^Undo/ }).click()
  await page.waitForFunction(() => [...document.querySelectorAll('tbody tr')].every((tr) => !tr.textContent.includes('Review')))
})

test('a filter is saved in the rail, opens from there, and its removal is taken back', async () => {
  await page.goto(world.at(`/tickets?project=${project}&filter=status%3ADONE`))
  await page.getByRole('button', { name: 'Save filter' }).click()
  await page.getByRole('textbox', { name: 'Name of the filter' }).fill('What is done')
  await page.keyboard.press('Enter')
  const saved = page.getByRole('navigation').getByRole('link', { name: 'What is done' })
  await saved.waitFor()
  await page.goto(world.at(`/today?project=${project}`))
  await saved.click()
  await page.waitForFunction(() => document.querySelector('[data-testid=total]')?.textContent === '1')
  await page.getByRole('button', { name: 'Remove “What is done”' }).click()
  await saved.waitFor({ state: 'detached' })
  await page.keyboard.press('Control+z')
  await saved.waitFor()
})

/** column is a column of the board. */
const column = (status) => page.getByRole('region', { name: status, exact: true })

test('on the board a ticket is moved by a key and with the mouse, and everybody sees it', async () => {
  await page.goto(world.at(`/tickets?project=${project}`))
  const other = await world.context.newPage()
  await other.goto(world.at(`/tickets?project=${project}&q=Audit`))
  await row('Audit trail').waitFor()
  await page.keyboard.press('2')
  const card = column('To do').getByRole('article').filter({ hasText: 'Audit trail' })
  await card.waitFor()
  await card.click({ position: { x: 5, y: 5 } })
  await page.keyboard.press('>')
  await column('In progress').getByRole('article').filter({ hasText: 'Audit trail' }).waitFor()
  await shot(page, '54-board')
  await other.locator('tbody tr').filter({ hasText: 'In progress' }).waitFor()
  await other.close()
  await column('In progress').getByRole('article').filter({ hasText: 'Audit trail' }).dragTo(column('Blocked'))
  await column('Blocked').getByRole('article').filter({ hasText: 'Audit trail' }).waitFor()
  await page.reload()
  await column('Blocked').getByRole('article').filter({ hasText: 'Audit trail' }).waitFor()
})

test('a move that is refused is taken back, and says why', async () => {
  await page.goto(world.at(`/tickets?project=${project}&form=board`))
  await column('To do').getByRole('article').first().waitFor()
  const title = await column('To do').getByRole('article').first().getByRole('link').textContent()
  const card = column('To do').getByRole('article').filter({ hasText: title })
  await card.click({ position: { x: 5, y: 5 } })
  const put = (status) => page.evaluate(([id, to]) => fetch(`/api/projects/${id}`, { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ status: to }) }).then((r) => r.status), [project, status])
  assert.equal(await put('ARCHIVED'), 200)
  await page.keyboard.press('>')
  await page.getByRole('alert').filter({ hasText: 'is still To do' }).waitFor()
  await card.waitFor()
  assert.equal(await column('In progress').getByRole('article').filter({ hasText: title }).count(), 0)
  assert.equal(await put('ACTIVE'), 200)
  await page.keyboard.press('>')
  await column('In progress').getByRole('article').filter({ hasText: title }).waitFor()
  world.complaints.splice(0, world.complaints.length, ...world.complaints.filter((c) => !c.includes('409')))
})

test('what waits for what is shown step by step, and a circle is named', async () => {
  const tickets = await page.evaluate((id) => fetch(`/api/projects/${id}/tickets?limit=50`).then((r) => r.json()), project)
  const of = (ref) => tickets.items.find((t) => t.body.externalRef === ref).id
  const waits = (ref, ...on) => page.evaluate(([at, ids]) => fetch(at, { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ blockedBy: ids }) }).then((r) => r.status), [`/api/projects/${project}/tickets/${of(ref)}`, on.map(of)])
  assert.equal(await waits('PAY-202', 'PAY-201'), 200)
  assert.equal(await waits('PAY-205', 'PAY-202'), 200)
  await page.goto(world.at(`/tickets?project=${project}&form=dependencies`))
  await page.getByText('The longest chain: PAY-201 → PAY-202 → PAY-205').waitFor()
  await page.getByRole('region', { name: 'Step 2' }).getByText('waits for PAY-202').waitFor()
  await shot(page, '55-dependencies')
  assert.equal(await waits('PAY-201', 'PAY-205'), 200)
  await page.getByText('These wait for each other, so that none can begin: PAY-20').waitFor()
  await page.getByRole('region', { name: 'Step 1' }).getByText('3 tickets').waitFor()
  assert.equal(await page.getByRole('region', { name: 'Can begin' }).count(), 0, 'what waits for itself cannot begin')
})

test('a column is sorted by a click, and the address keeps it', async () => {
  await page.goto(world.at(`/tickets?project=${project}`))
  const first = () => page.locator('tbody tr').first().locator('td').first().textContent()
  await page.getByRole('button', { name: 'Key', exact: true }).click()
  await page.waitForFunction(() => document.querySelector('tbody tr td')?.textContent === 'PAY-201')
  await page.getByRole('button', { name: /^Key/ }).click()
  await page.waitForFunction(() => document.querySelector('tbody tr td')?.textContent === 'PAY-207')
  await page.reload()
  await page.locator('tbody tr').first().waitFor()
  assert.equal(await first(), 'PAY-207')
})

test('ten thousand tickets are as quick to move in as ten', async () => {
  const lines = ['Issue key,Summary,Status,Assignee', ...Array.from({ length: 10_000 }, (_, i) => `BIG-${i + 1},Ticket number ${i + 1},Open,Ann Lee`)]
  await page.goto(world.at('/'))
  const big = await makeProject(page, 'Big')
  await page.getByLabel('Files').setInputFiles({ name: 'jira.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) })
  await page.getByRole('button', { name: 'Import', exact: true }).click()
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

test('long names leave room for what they stand beside', async () => {
  const owner = 'Maximiliane von Hohenstein-Württemberg (External Consultant, Accenture)'
  const made = await page.request.post(world.at(`/api/projects/${project}/tickets`), {
    data: { title: 'Titles stay readable', owner, status: 'IN_PROGRESS', sprint: 'The sprint that has a whole sentence for its name, with the quarter, the team and what is to be reached in it' }, headers: { Origin: world.daemon.origin },
  })
  assert.equal(made.status(), 201)
  const width = async (what) => (await what.boundingBox()).width
  await page.goto(world.at(`/tickets?project=${project}`))
  const title = page.getByRole('cell').filter({ has: page.getByRole('link', { name: 'Titles stay readable' }) })
  await title.waitFor()
  assert.ok((await width(title)) >= 140, `the title has ${await width(title)} px`)
  await shot(page, '54-long-names')
  await page.goto(world.at(`/today?project=${project}`))
  const week = page.getByRole('region', { name: 'The team’s week' })
  const load = week.getByRole('row').filter({ hasText: 'Maximiliane' }).getByRole('cell').nth(1)
  await load.waitFor()
  const box = await load.boundingBox()
  const region = await week.boundingBox()
  assert.ok(box.x + box.width <= region.x + region.width, 'the load is within the part')
  await shot(page, '55-long-names-today')
})

test('no page complained or called elsewhere', () => {
  assert.deepEqual(world.complaints, [])
})
