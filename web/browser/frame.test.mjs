// What holds on every view: the keyboard, names and focus, both widths, the project, live tabs.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { goTo, makeProject, shot, startWorld, takeIn, views } from './world.mjs'

let world
let page
let payments // the project with records

before(async () => {
  world = await startWorld()
  page = world.page
  await page.goto(world.daemon.login)
})

after(() => world?.stop())

/** open opens a view and waits until it shows what it has. */
async function open(path) {
  await page.goto(world.at(`${path.split('?')[0]}?project=${payments}`))
  await page.locator('main h2').first().waitFor()
  await page.waitForFunction(() => !document.querySelector('main')?.textContent.includes('Loading…'))
}

test('without a project every view says what to do', async () => {
  for (const path of views.slice(0, 15)) {
    await page.goto(world.at(path))
    await page.getByText('Make a project first').waitFor()
  }
  const gone = await page.request.get(world.at('/nowhere'))
  assert.deepEqual([gone.status(), gone.headers()['content-type']], [404, 'application/problem+json'])
  await page.evaluate(() => { // as a link within the page leads there
    history.pushState({}, '', '/nowhere')
    dispatchEvent(new PopStateEvent('popstate'))
  })
  await page.getByText('Nothing is at this address').waitFor()
})

test('a project stays chosen wherever one goes', async () => {
  await page.goto(world.at('/'))
  await makeProject(page, 'Empty')
  payments = await makeProject(page, 'Payments')
  await takeIn(page, ['minutes.md', 'tickets.csv'])
  const chosen = () => page.getByLabel('Project', { exact: true }).evaluate((s) => s.selectedOptions[0].text)
  await goTo(page, 'Tickets')
  await page.locator('tbody a').first().click()
  await page.getByText('Where it comes from').waitFor()
  assert.equal(await chosen(), 'Payments')
  await goTo(page, 'Runs')
  await page.locator('tbody a').first().click()
  await page.getByRole('heading', { name: 'Steps' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Steps' }).waitFor()
  assert.equal(await chosen(), 'Payments')
  await goTo(page, 'Ask')
  await page.getByLabel('Question').fill('What is overdue?')
  await page.keyboard.press('Enter')
  await page.getByTestId('answer').waitFor()
  await page.getByLabel('Project', { exact: true }).selectOption('Empty')
  await page.getByTestId('answer').waitFor({ state: 'detached' })
  await goTo(page, 'Threads')
  await page.getByText('No threads yet').waitFor()
  await page.goBack()
  await page.goBack()
  await page.waitForFunction(() => document.querySelector('select[aria-label=Project]')?.selectedOptions[0]?.text === 'Payments')
  const tab = await world.context.newPage()
  await tab.goto(world.at('/intake'))
  await tab.getByLabel('Files').waitFor({ state: 'attached' })
  assert.equal(await tab.getByLabel('Project', { exact: true }).inputValue(), payments, 'an address without a project shows the one that was worked in last')
  await tab.close()
})

test('the keyboard goes everywhere', async () => {
  await goTo(page, 'Intake')
  const keys = { y: 'Today', N: 'Inbox', t: 'Threads', k: 'Tickets', p: 'People', o: 'Objectives', S: 'Sprint', m: 'Plan', C: 'Checklists', R: 'Reminders', L: 'Links', I: 'Ideas', d: 'Reconcile', b: 'Blindspots', a: 'Ask', c: 'Chat', j: 'Project', r: 'Runs', e: 'Memory', g: 'Agents', q: 'Models', u: 'Users', f: 'Budgets', x: 'Vault', z: 'Hooks', w: 'Policy', l: 'Log', i: 'Intake' }
  for (const [key, name] of Object.entries(keys)) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await page.locator('main h2').filter({ hasText: name }).waitFor()
    await page.waitForFunction((want) => document.title === `${want} · Chela`, name)
  }
  await page.getByLabel('Paste notes').pressSequentially('gt?')
  assert.equal(await page.getByLabel('Paste notes').inputValue(), 'gt?', 'the keys go into a field')
  await page.getByLabel('Paste notes').fill('') // what is written and not saved would be asked about
  assert.equal(await page.getByRole('dialog').count(), 0)
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  await shot(page, '20-keys')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await page.locator('main h2').filter({ hasText: 'Threads' }).waitFor()
})

/** goesBack asks as of an earlier moment, goes on to a view that knows now alone, and back. */
async function goesBack() {
  const moment = new Date().toISOString()
  const asked = () => page.waitForRequest((r) => r.url().endsWith('/api/ask')).then((r) => r.postDataJSON())
  const then = asked()
  await page.goto(world.at(`/ask?project=${payments}&q=What+is+overdue%3F&asOf=${moment}`))
  assert.deepEqual([(await then).question, (await then).asOf, (await then).computed], ['What is overdue?', moment, true])
  await page.getByTestId('past').waitFor()
  await page.getByTestId('answer').waitFor()
  await page.getByTestId('span').waitFor()
  for (const key of ['g', 'N']) await page.keyboard.press(key)
  await page.locator('main h2').filter({ hasText: 'Inbox' }).waitFor()
  assert.equal(await page.getByTestId('span').count(), 0, 'the inbox knows now alone, and names no other moment')
  await page.goBack()
  await page.getByTestId('answer').waitFor()
  const now = asked()
  for (const key of ['@', 'n']) await page.keyboard.press(key)
  assert.deepEqual([(await now).question, (await now).asOf], ['What is overdue?', undefined], 'another moment is asked for at once')
  await page.getByTestId('past').waitFor({ state: 'detached' })
}

test('the command line goes to views, records and questions', async () => {
  const line = page.getByRole('combobox', { name: 'Command' })
  const give = async (text) => {
    await page.keyboard.press('Control+k')
    await line.pressSequentially(text)
    await page.keyboard.press('Enter')
  }
  await give('CAP')
  await page.locator('main h2').filter({ hasText: 'People' }).waitFor()
  await give('tick status:IN_PROGRESS owner:"Joe"')
  await page.locator('main h2').filter({ hasText: 'Tickets' }).waitFor()
  await page.waitForFunction(() => document.querySelector('[data-testid=total]')?.textContent === '2')
  assert.equal(new URL(page.url()).searchParams.get('filter'), 'status:IN_PROGRESS owner:"Joe"')
  await page.reload()
  await page.waitForFunction(() => document.querySelector('[data-testid=total]')?.textContent === '2')
  await page.keyboard.press('/')
  await line.pressSequentially('merchant keys')
  await page.getByRole('option').filter({ hasText: 'Issue merchant keys' }).waitFor()
  await shot(page, '21-command')
  await page.getByRole('option').filter({ hasText: 'Issue merchant keys' }).click()
  await page.getByText('Where it comes from').waitFor()
  await give('ASK What is overdue?')
  await page.getByTestId('answer').waitFor()
  await page.reload()
  await page.getByLabel('Question').waitFor()
  assert.equal(await page.getByLabel('Question').inputValue(), 'What is overdue?')
  await page.getByTestId('answer').getByText('computed, no model asked').waitFor()
  await page.getByLabel('Question').fill('What is blocked?')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => new URL(location.href).searchParams.get('q') === 'What is blocked?')
  await page.keyboard.press('Escape')
  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await page.getByText('What is overdue?').waitFor()
  assert.deepEqual([await page.getByLabel('Question').inputValue(), await page.getByTestId('answer').count()], ['', 0], 'Ask without a question in its address begins anew')
  await goesBack()
  await give('PROJ Empty')
  await page.waitForFunction(() => document.querySelector('select[aria-label=Project]')?.selectedOptions[0]?.text === 'Empty')
  await page.getByLabel('Project', { exact: true }).selectOption('Payments')
})

test('on a phone the command line and what it offers take the whole width', async () => {
  await page.setViewportSize({ width: 375, height: 812 })
  await open('/today')
  await page.getByRole('combobox', { name: 'Command' }).click()
  const people = page.getByRole('option').filter({ hasText: 'People' }).first()
  await people.waitFor()
  const wide = (of) => of.evaluate((e) => e.getBoundingClientRect().width)
  assert.ok(await wide(people) > 300 && await wide(page.getByRole('combobox', { name: 'Command' })) > 300)
  const name = people.getByText('People', { exact: true })
  assert.equal(await name.evaluate((e) => e.scrollWidth > e.clientWidth), false, 'the name of a view is read')
  await people.click()
  await page.locator('main h2').filter({ hasText: 'People' }).waitFor()
  await page.getByRole('button', { name: 'Layouts' }).waitFor()
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('the look and the size of the letters stay chosen', async () => {
  const look = () => page.evaluate(() => [document.documentElement.dataset.theme, getComputedStyle(document.documentElement).fontSize])
  await open('/today')
  assert.deepEqual(await look(), ['terminal', '13px'])
  for (const key of ['T', '+', '+']) await page.keyboard.press(key)
  assert.deepEqual(await look(), ['light', '15px'])
  await page.reload()
  assert.deepEqual(await look(), ['light', '15px'])
  await page.locator('main h2').first().waitFor() // keys are heard when the page is drawn
  for (const key of ['T', '0']) await page.keyboard.press(key)
  assert.deepEqual(await look(), ['contrast', '13px'])
  await page.keyboard.press('T')
  assert.deepEqual(await look(), ['terminal', '13px'])
  const said = (size) => page.waitForResponse((r) => r.url().endsWith('/api/config/font-size') && r.request().postDataJSON().fontSize === size)
  const told = said(14)
  await page.keyboard.press('+')
  await told
  await page.evaluate(() => localStorage.clear()) // as another browser of the same person
  await page.reload()
  await page.waitForFunction(() => document.documentElement.style.fontSize === '14px')
  const again = said(13)
  await page.keyboard.press('0')
  await again
})

test('today shows what needs somebody', async () => {
  await page.getByText('0.0000 USD today').waitFor()
  await open('/today')
  const slips = page.getByRole('region', { name: 'Will slip' })
  await slips.getByText('Split the card handler').waitFor()
  await slips.getByRole('link', { name: '6 overdue' }).click()
  await page.waitForFunction(() => document.querySelector('[data-testid=total]')?.textContent === '6')
})

test('many tabs hear what one of them does, and go on when it is closed', async () => {
  await page.goto(world.at('/'))
  await page.getByText('live', { exact: true }).waitFor()
  const tabs = []
  for (let i = 0; i < 7; i++) {
    const tab = await world.context.newPage()
    await tab.goto(world.at(`/tickets?project=${payments}`))
    await tab.locator('tbody tr').first().waitFor()
    await tab.getByText('live', { exact: true }).waitFor()
    tabs.push(tab)
  }
  const totals = () => Promise.all(tabs.map((tab) => tab.getByTestId('total').textContent()))
  assert.deepEqual(new Set(await totals()), new Set(['11']))
  await page.goto(world.at(`/?project=${payments}`)) // gives the stream to another tab
  const add = async (title) => {
    await page.getByLabel('Paste notes').fill(`# Meeting\n- ACTION: Joe Martinez to ${title}`)
    await page.keyboard.press('Control+Enter')
    for (const tab of tabs) await tab.getByRole('link', { name: title }).waitFor()
  }
  await add('water the plants')
  await tabs[0].close()
  tabs.shift()
  await add('feed the fish')
  assert.deepEqual(new Set(await totals()), new Set(['13']))
  const row = tabs[0].getByRole('row').filter({ hasText: 'feed the fish' })
  await row.filter({ hasText: 'Joe Martinez' }).waitFor()
  await shot(tabs[0], '40-second-tab')
})

test('a view that opens asks for nothing twice', async () => {
  const asked = []
  const note = (r) => r.url().includes('/api/') && asked.push(`${r.method()} ${r.url()}`)
  const streams = () => asked.filter((u) => u.includes('/api/events')).length
  const second = await page.context().newPage()
  second.on('request', note)
  for (const view of ['/today', '/tickets', '/people']) {
    asked.length = 0
    await second.goto(world.at(`${view}?project=${payments}`))
    await second.getByText('live', { exact: true }).waitFor()
    await second.waitForLoadState('networkidle')
    assert.deepEqual(asked.filter((u, i) => asked.indexOf(u) !== i), [], view)
  }
  assert.equal(streams(), 0, 'of two tabs one holds the stream')
  await second.close()
})

test('what changes before the stream is there is shown, and nothing that did not change is asked for again', async () => {
  const context = await page.context().browser().newContext({ storageState: await page.context().storageState() }) // no other tab has its stream
  const late = await context.newPage()
  let go
  const held = new Promise((done) => { go = done })
  await late.route('**/api/events*', async (route) => {
    await held
    await route.continue()
  })
  await late.goto(world.at(`/tickets?project=${payments}`))
  const row = late.locator('tbody tr').first()
  await row.waitFor()
  await late.waitForLoadState('networkidle')
  const id = (await row.locator('a').first().getAttribute('href')).match(/records\/([^?]+)/)[1]
  const asked = []
  late.on('request', (r) => asked.push(r.url()))
  const changed = await page.request.patch(world.at(`/api/projects/${payments}/tickets/${id}`), { data: { title: 'Changed meanwhile' }, headers: { Origin: world.daemon.origin } })
  assert.ok(changed.ok(), await changed.text())
  go()
  await late.getByText('Changed meanwhile').waitFor()
  assert.ok(!asked.some((u) => u.includes('/api/agents')), asked.join('\n'))
  await context.close()
})

test('another project is shown in the same view, and Alt P goes to the list', async () => {
  const picker = page.getByLabel('Project', { exact: true })
  await page.goto(world.at(`/tickets?form=board&filter=owner%3AJoe&project=${payments}`))
  await picker.waitFor()
  await page.keyboard.press('Alt+p')
  assert.ok(await picker.evaluate((e) => e === document.activeElement))
  await picker.selectOption('Empty')
  await page.waitForFunction(() => new URL(location.href).searchParams.get('filter') === null)
  const shown = new URL(page.url())
  assert.deepEqual([shown.pathname, shown.searchParams.get('form')], ['/tickets', 'board'])
  assert.notEqual(shown.searchParams.get('project'), payments)
  await page.keyboard.press('Escape')
})

test('the rail has at most twelve entries in groups that stay folded, and all views are one key away', async () => {
  await page.goto(world.at(`/tickets?project=${payments}`))
  const rail = page.getByRole('navigation')
  await rail.getByRole('link', { name: /^All views/ }).waitFor()
  assert.ok((await rail.getByRole('link').count()) <= 12, `${await rail.getByRole('link').allTextContents()}`)
  await rail.getByRole('button', { name: 'Agents' }).click()
  await rail.getByRole('link', { name: /^Runs/ }).waitFor({ state: 'detached' })
  await page.reload()
  await rail.getByRole('link', { name: /^Tickets/ }).waitFor()
  assert.equal(await rail.getByRole('link', { name: /^Runs/ }).count(), 0)
  await rail.getByRole('button', { name: 'Agents' }).click()
  await rail.getByRole('link', { name: /^All views/ }).click()
  await page.locator('main').getByRole('link', { name: 'Vault' }).click()
  await page.locator('main h2').filter({ hasText: 'Vault' }).waitFor()
})

test('the help lies in the middle, begins at its top, and Esc closes it', async () => {
  await page.goto(world.at(`/tickets?project=${payments}`))
  await page.locator('tbody tr').first().waitFor()
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keys' })
  await dialog.waitFor()
  await page.waitForFunction(() => document.querySelector('[role=dialog]')?.contains(document.activeElement)) // and not on something at its end
  const at = await dialog.evaluate((d) => {
    const box = d.getBoundingClientRect()
    const scroller = d.lastElementChild
    return { left: box.left, right: innerWidth - box.right, top: box.top, bottom: innerHeight - box.bottom, scrolled: scroller.scrollTop, padding: Number.parseFloat(getComputedStyle(scroller).paddingLeft) }
  })
  assert.ok(Math.abs(at.left - at.right) <= 2 && Math.abs(at.top - at.bottom) <= 2 && at.left > 0, `it lies in the middle: ${JSON.stringify(at)}`)
  assert.equal(at.scrolled, 0)
  assert.ok(at.padding >= 12, `its padding is ${at.padding}`)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
})

test('a computer that loses its network works on with the daemon on it', async () => {
  await open('/tickets')
  await page.evaluate(() => dispatchEvent(new Event('offline')))
  await goTo(page, 'Ideas')
  await page.keyboard.press('n')
  await page.getByRole('textbox', { name: 'New idea' }).fill('Refund by link')
  await page.keyboard.press('Enter')
  await page.getByRole('table').getByRole('link', { name: 'Refund by link' }).waitFor()
  await page.evaluate(() => dispatchEvent(new Event('online')))
})

test('whoever is logged out is told so', async () => {
  const headers = { Origin: world.daemon.origin }
  const link = await (await page.request.post(world.at('/api/login-link'), { headers })).json()
  const other = await world.browser.newContext()
  try {
    const there = await other.newPage()
    await there.goto(world.at(link.path))
    await there.getByText('live', { exact: true }).waitFor()
    const tokens = (await (await page.request.get(world.at('/api/tokens'))).json()).filter((t) => t.purpose === 'cookie')
    const newest = tokens.reduce((a, b) => (a.created_at > b.created_at ? a : b))
    await page.request.delete(world.at(`/api/tokens/${newest.id}`), { headers })
    await there.getByText('Nobody is logged in here.').waitFor()
  } finally {
    await other.close()
  }
})

test('no page complained or called elsewhere', () => {
  assert.deepEqual(world.complaints, [])
})
