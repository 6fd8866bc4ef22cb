// The desk by the keyboard: earlier moments and what changed since, charts and their data, the sprint, plan, people, lists, records.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { shot, startDesk } from './world.mjs'

let world
let page
let project
let then // the event after which everything below was changed
const ids = {}

const headers = () => ({ Origin: world.at('') })
const at = (rest) => world.at(`/api/projects/${project}/${rest}`)
const day = (n) => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10)

async function make(plural, data) {
  const answer = await page.request.post(at(plural), { data, headers: headers() })
  assert.equal(answer.status(), 201, `${plural}: ${await answer.text()}`)
  return (await answer.json()).id
}

async function patch(plural, id, data) {
  const answer = await page.request.patch(at(`${plural}/${id}`), { data, headers: headers() })
  assert.equal(answer.status(), 200, await answer.text())
}

before(async () => {
  world = await startDesk()
  page = world.page
  project = world.project
  await page.evaluate(() => localStorage.setItem('chela-dates', 'iso'))
  for (const [name, skills] of [['Ann Lee', ['refund']], ['Bo Ek', []]]) ids[name] = await make('resources', { name, skills })
  ids.goal = await make('objectives', { outcome: 'Refunds in a day', sprintName: 'Sprint 7', startDate: day(-3), endDate: day(4) })
  ids.retry = await make('tickets', { title: 'Retry the refund', sprint: 'Sprint 7', storyPoints: 5, objectiveIds: [ids.goal], sources: [{ by: 'rule:actions', document: 'Minutes', line: 4, quote: 'Ann retries it' }] })
  ids.formula = await make('tickets', { title: '=1+1', sprint: 'Sprint 8', storyPoints: 3 })
  ids.idea = await make('ideas', { title: 'Refund by link' })
  then = (await (await page.request.get(world.at('/api/log?newest=true&limit=1'))).json()).events[0].id
  await patch('tickets', ids.retry, { status: 'DONE' })
  await patch('tickets', ids.formula, { sprint: 'Sprint 7' })
  await page.request.delete(at(`ideas/${ids.idea}`), { headers: headers() })
})

after(() => world?.stop())

/** open opens a view and waits until it shows what it has. */
async function open(path) {
  await page.goto(world.at(`${path}${path.includes('?') ? '&' : '?'}project=${project}`))
  await page.locator('main h2').first().waitFor()
  await page.waitForFunction(() => !document.querySelector('main')?.textContent.includes('Loading…'))
}

/** looks keeps a picture of what is shown in each look, and in a narrow window. */
async function looks(name) {
  for (const look of ['terminal', 'light', 'contrast']) {
    await page.evaluate((t) => { document.documentElement.dataset.theme = t }, look)
    await shot(page, `80-${name}-${look}`)
  }
  await page.evaluate(() => { document.documentElement.dataset.theme = 'terminal' })
  await page.setViewportSize({ width: 390, height: 844 })
  await shot(page, `80-${name}-narrow`)
  await page.setViewportSize({ width: 1280, height: 800 })
}

/** choose moves down until the chosen row has this text. Each step is seen before the next: the page may be slower than the keys. */
async function choose(text) {
  for (let i = 0; i < 30; i++) {
    if (await page.locator('main [aria-current=true]').filter({ hasText: text }).count()) return
    await page.keyboard.press('j')
    await page.evaluate(() => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen))))
  }
  throw new Error(`${text} was not reached`)
}

/** rested waits until a view has shown the same for half a second: what happened before is in it. */
async function rested() {
  for (let was, since = Date.now(); Date.now() - since < 500; await page.waitForTimeout(50)) {
    const now = await page.locator('main').textContent()
    if (now !== was) {
      was = now
      since = Date.now()
    }
  }
}

test('an earlier moment is shown on every view, and nothing can be changed in it', async () => {
  await open(`/ideas?asOf=${then}`)
  const bar = page.getByTestId('past')
  await bar.getByText('Nothing can be changed here').waitFor()
  await page.getByRole('table').getByRole('link', { name: 'Refund by link' }).waitFor()
  assert.equal(await page.getByLabel('New idea').count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Make a ticket' }).count(), 0)
  await looks('past')
  await page.keyboard.press('g')
  await page.keyboard.press('k')
  await page.getByRole('row').filter({ hasText: 'Retry the refund' }).filter({ hasText: 'To do' }).waitFor()
  await page.keyboard.press('e')
  assert.equal(await page.getByRole('form').filter({ hasText: 'Save' }).count(), 0)
  await page.reload()
  await bar.waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('S')
  await page.getByTestId('sums').getByText('0 tickets, 0 pt', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Back to now' }).click()
  await page.getByTestId('sums').getByText('1 ticket, 5 pt').waitFor()
  assert.equal(await bar.count(), 0)
  assert.equal(new URL(page.url()).searchParams.get('asOf'), null)
})

test('a key offers moments; before there was a project the way back is there', async () => {
  await open('/people')
  await page.keyboard.press('@')
  const offered = page.getByRole('dialog', { name: 'Range' })
  await offered.getByRole('button', { name: 'Sprint 7: its first day', exact: false }).first().waitFor()
  await looks('moments')
  await page.keyboard.press('w')
  await offered.waitFor({ state: 'detached' })
  await page.getByTestId('past').getByText(day(-7)).waitFor()
  await page.locator('main [role=alert]').waitFor()
  world.complaints.length = 0 // the browser notes the 404
  await page.keyboard.press('@')
  await offered.waitFor()
  await page.keyboard.press('n')
  await page.getByRole('link', { name: 'Ann Lee' }).waitFor()
  await page.keyboard.press('@')
  await offered.getByLabel('Until').fill('2026-03-01T10:15')
  await page.keyboard.press('Enter')
  await page.getByTestId('past').waitFor()
  const asOf = new URL(page.url()).searchParams.get('asOf')
  assert.equal(Date.parse(asOf), await page.evaluate(() => Date.parse('2026-03-01T10:15')))
  await page.locator('main [role=alert]').waitFor()
  world.complaints.length = 0 // as above
})

test('a range is chosen by a key or from and until, and the head of the pane tells it', async () => {
  await open('/tickets')
  const word = (name) => new URL(page.url()).searchParams.get(name)
  const offered = page.getByRole('dialog', { name: 'Range' })
  const range = async () => {
    await page.keyboard.press('@')
    await offered.waitFor()
  }
  const head = (text) => page.getByTestId('span').getByText(text).waitFor()
  assert.equal(await page.getByTestId('span').count(), 0)
  for (const [key, n] of [['3', -7], ['4', -14]]) { // as one types who knows them: before anything is shown, the first time before it is fetched
    await page.keyboard.press('@')
    await page.keyboard.press(key)
    await head(`since the end of ${day(n)} (UTC)`)
  }
  for (const [key, n] of [['1', -1], ['3', -7], ['4', -14]]) {
    await range()
    await page.keyboard.press(key)
    await head(`since the end of ${day(n)} (UTC)`)
    assert.equal(word('asOf'), null)
  }
  await range()
  await offered.getByRole('button', { name: '5 Sprint 7' }).waitFor()
  await page.keyboard.press('5')
  await head(`since the end of ${day(-4)} (UTC)`) // it began three days ago
  await range()
  await offered.getByLabel('From').fill('2026-03-02T10:00')
  await offered.getByLabel('Until').fill('2026-03-01T10:15')
  await offered.getByText('It ends before it begins.').waitFor()
  assert.ok(await offered.getByRole('button', { name: 'Show' }).isDisabled())
  await looks('range')
  await offered.getByLabel('From').fill('2026-03-01T09:00')
  await page.keyboard.press('Enter')
  await offered.waitFor({ state: 'detached' })
  await page.getByTestId('span').getByText(/^since .*, until /).waitFor()
  assert.deepEqual([word('since'), word('asOf')].map((m) => Date.parse(m)), await page.evaluate(() => ['2026-03-01T09:00', '2026-03-01T10:15'].map((t) => Date.parse(t))))
  await page.getByText('No ticket of this list is different between the two moments.').waitFor()
  await range()
  await page.keyboard.press('n')
  await page.getByTestId('total').waitFor()
  assert.equal(await page.getByTestId('span').count(), 0)
})

test('what changed since a moment is listed by kind, before and after', async () => {
  await open(`/today?asOf=${then}`)
  await page.getByRole('button', { name: 'What changed since' }).click()
  await page.getByTestId('changes').filter({ hasText: '4 records' }).waitFor() // with the objective, whose coverage is another
  const row = (title) => page.getByRole('row').filter({ hasText: title })
  assert.match(await row('Retry the refund').textContent(), /changed.*status To do → Done/)
  assert.match(await row('=1+1').textContent(), /sprint Sprint 8 → Sprint 7/)
  assert.match(await row('Refund by link').textContent(), /deleted/)
  await looks('changes')
  await page.keyboard.press('@')
  await page.getByRole('dialog', { name: 'Range' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Range' }).waitFor({ state: 'detached' })
  await choose('Retry the refund')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Retry the refund' }).waitFor()
  await page.goBack()
  await page.getByTestId('changes').waitFor()
  await page.keyboard.press('Backspace')
  await page.getByRole('heading', { name: 'Today' }).waitFor()
})

test('each view shows its own difference: cells of tickets, loads of people, two lines of the sprint', async () => {
  await open(`/tickets?since=${then}`)
  const row = (title) => page.getByRole('row').filter({ hasText: title })
  assert.match(await row('Retry the refund').textContent(), /~ changed.*To do → Done/)
  assert.match(await row('=1+1').textContent(), /Sprint 8 → Sprint 7/)
  assert.equal(await row('Refund by link').count(), 0) // of another kind
  assert.equal(await page.getByTestId('changed').textContent(), '~ 2 changed')
  await looks('differences-tickets')
  await page.keyboard.press('b') // as it was then
  await page.getByTestId('past').waitFor()
  await open(`/tickets?since=${then}&filter=status:DONE`)
  assert.match(await row('Retry the refund').textContent(), /\+ added.*To do → Done/)
  await open(`/people?since=${then}`)
  await page.getByRole('heading', { name: 'Load of people' }).waitFor()
  await page.getByText(/There were no people|→/).first().waitFor()
  await looks('differences-people')
  await open(`/sprint?since=${then}&sprint=Sprint%207`)
  await page.getByRole('img', { name: /^Left in points: Needed as of then .*, Left / }).waitFor()
  await looks('differences-sprint')
  await page.keyboard.press('Backspace')
  await page.getByRole('heading', { name: 'Sprint', exact: true }).waitFor()
})

/** saved is what a button hands over: the name of the file and its bytes. */
async function saved(name) {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()])
  return [file.suggestedFilename(), readFileSync(await file.path())]
}

/** inksOf counts the points of a picture that have each of the colours. */
async function inksOf(png, wanted) {
  return page.evaluate(async ([bytes, inks]) => {
    const image = await createImageBitmap(new Blob([new Uint8Array(bytes)]))
    const ctx = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height }).getContext('2d')
    ctx.drawImage(image, 0, 0)
    const { data } = ctx.getImageData(0, 0, image.width, image.height)
    const seen = new Map()
    for (let i = 0; i < data.length; i += 4) {
      const ink = [data[i], data[i + 1], data[i + 2]].map((c) => c.toString(16).padStart(2, '0')).join('')
      seen.set(ink, (seen.get(ink) ?? 0) + 1)
    }
    return inks.map((ink) => seen.get(ink) ?? 0)
  }, [[...png], wanted])
}

test('a chart, the table behind it, its CSV and the daemon say the same; the picture is one', async () => {
  await open('/sprint')
  const health = await (await page.request.get(at(`sprints/${encodeURIComponent('Sprint 7')}`))).json()
  assert.deepEqual([health.scope, health.done, health.days.length], [{ tickets: 2, points: 8 }, { tickets: 1, points: 5 }, 4])
  const known = health.days.map((d) => [d.day, String(d.scope.points), String(d.done.points)])
  const want = [...known, ...[1, 2, 3, 4].map((n) => [day(n), '', ''])]
  await page.locator('.u-over').waitFor()
  await looks('sprint')
  await page.keyboard.press('v')
  const table = page.locator('figure table')
  assert.deepEqual(await table.locator('tbody tr').evaluateAll((trs) => trs.map((tr) => [...tr.cells].map((td) => td.textContent))), want)
  await shot(page, '81-table')
  const [csvName, csv] = await saved('Burn-up in points as CSV')
  assert.equal(csvName, 'burn-up Sprint 7 points.csv')
  assert.deepEqual(csv.toString().trimEnd().split('\r\n').slice(1).map((l) => l.split(',')), want)
  const [pngName, png] = await saved('Burn-up in points as PNG')
  assert.equal(pngName, 'burn-up Sprint 7 points.png')
  assert.deepEqual([...png.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47])
  const inks = await inksOf(png, ['000000', 'dedbd2', '46dd85', 'ffe04a'])
  assert.ok(inks.every((n) => n > 50), `the picture has the ground, both lines and today: ${inks}`)
  const days = () => table.locator('tbody tr').evaluateAll((trs) => trs.map((tr) => tr.cells[0].textContent))
  const all = await days()
  await page.keyboard.press('z')
  await page.getByRole('button', { name: new RegExp(`^${all[2]} to ${all[5]}`) }).waitFor()
  assert.deepEqual(await days(), all.slice(2, 6))
  await page.keyboard.press('ArrowRight')
  await page.getByRole('button', { name: new RegExp(`^${all[3]} to ${all[6]}`) }).waitFor()
  await page.keyboard.press('Z')
  await page.waitForFunction((n) => document.querySelectorAll('figure tbody tr').length === n, all.length)
  const picture = () => page.locator('figure canvas').evaluate((c) => c.toDataURL())
  const before = await picture()
  await page.keyboard.press('T')
  await page.waitForFunction((was) => document.querySelector('figure canvas')?.toDataURL() !== was, before)
  for (const key of ['T', 'T']) await page.keyboard.press(key)
  await page.keyboard.press('p')
  await page.getByRole('figure', { name: 'Burn-up in tickets' }).waitFor()
})

test('points and cells are pictures, too, and say what happened', async () => {
  const ticket = await make('tickets', { title: 'Work in hand', status: 'IN_PROGRESS' })
  for (const [chart, ink] of [['ageing', 'a8a498'], ['load', 'dedbd2']]) {
    await open(`/charts?chart=${chart}`)
    await page.locator('figure').waitFor()
    const [name, png] = await saved(/ as PNG$/)
    assert.equal(name, `${chart}.png`)
    const inks = await inksOf(png, ['000000', ink])
    assert.ok(inks.every((n) => n > 5), `${chart}: ${inks}`)
  }
  await page.request.delete(at(`tickets/${ticket}`), { headers: headers() })
  await open('/charts?chart=flow')
  await page.getByRole('list', { name: 'What happened' }).getByRole('listitem').first().waitFor()
})

test('a sprint names what came in and went out, live', async () => {
  await open('/sprint')
  await page.getByText('2 changes after the first day').waitFor()
  const late = await make('tickets', { title: 'Limit refunds', sprint: 'Sprint 7', storyPoints: 2 })
  await page.getByRole('row').filter({ hasText: 'Limit refunds' }).filter({ hasText: 'made in it' }).waitFor()
  await patch('tickets', late, { sprint: 'Sprint 9' })
  await page.getByRole('row').filter({ hasText: 'to Sprint 9' }).first().waitFor()
  await page.keyboard.press('<')
  await page.keyboard.press('>')
  await page.waitForFunction(() => new URL(location.href).searchParams.has('sprint'))
})

test('who could take what is assigned by a key, and taken back when it is refused', async () => {
  await open('/people')
  const row = page.locator('tr').filter({ hasText: '=1+1' })
  await rested()
  await choose('=1+1')
  await page.route('**/assignments', (r) => (r.request().method() === 'POST' ? r.fulfill({ status: 409, contentType: 'application/json', body: '{"detail":"Not today."}' }) : r.continue()))
  await page.keyboard.press('a')
  await page.getByRole('alert').getByText('Not today.').waitFor()
  await row.waitFor()
  world.complaints.length = 0 // the browser notes the 409
  await page.unroute('**/assignments')
  await choose('=1+1')
  await looks('people')
  await page.keyboard.press('a')
  await row.waitFor({ state: 'detached' })
  await page.waitForFunction(async (address) => (await (await fetch(address)).json()).total === 1, at('assignments'))
})

test('objectives open their tickets, and tickets without one are named', async () => {
  await open('/objectives')
  const goal = page.getByRole('article', { name: 'Refunds in a day' })
  await goal.getByText('100%').waitFor()
  await choose('Refunds in a day')
  await page.keyboard.press('o')
  await goal.getByRole('link', { name: 'Retry the refund' }).waitFor()
  await page.getByTestId('unmapped').filter({ hasText: '2' }).waitFor()
  await looks('objectives')
  await choose('=1+1')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: '=1+1' }).waitFor()
})

test('the plan marks what is late, and takes a milestone by the keyboard', async () => {
  await make('phases', { name: 'Beta', sortOrder: 1, startDate: day(-20), endDate: day(20), status: 'IN_PROGRESS' })
  await make('milestones', { name: 'Ten users', targetDate: day(-2), status: 'ON_TRACK' })
  await open('/plan')
  await page.getByTestId('late').filter({ hasText: '1 late' }).waitFor()
  await page.keyboard.press('n')
  await page.getByLabel('Name', { exact: true }).fill('Launch day')
  await page.getByLabel('Day').fill(day(10))
  await page.getByLabel('Phase', { exact: true }).selectOption('Beta')
  await page.keyboard.press('Enter')
  const lines = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem')
  await lines.filter({ hasText: 'Launch day' }).waitFor()
  assert.deepEqual((await lines.allTextContents()).map((t) => t.replace(/\d+ d.*/, '')), ['Beta', 'Launch day', 'Ten users'])
  await page.getByRole('row').filter({ hasText: 'Ten users' }).filter({ hasText: '2 days late' }).waitFor()
  await looks('plan')
})

test('a checklist is made, filled and ticked off without a mouse', async () => {
  await open('/checklists')
  await page.getByText('No checklists yet').waitFor()
  await page.keyboard.press('n')
  await page.keyboard.type('Release 2.4')
  await page.keyboard.press('Enter')
  const list = page.getByRole('article', { name: 'Release 2.4' })
  await list.waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('a')
  for (const text of ['Rollback tried', 'Support knows']) {
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
    await list.getByText(text).waitFor()
  }
  await page.keyboard.press('Escape')
  await choose('Rollback tried')
  for (const key of ['x', 'j', 'x', 'x', 'x']) await page.keyboard.press(key) // quicker than the daemon answers
  await list.getByText('COMPLETED').waitFor()
  const checked = (n) => page.waitForFunction(async ([address, want]) => (await (await fetch(address)).json()).items[0].body.items.filter((i) => i.checked).length === want, [at('checklists'), n])
  await checked(2)
  await page.keyboard.press('x')
  await list.getByText('1/2').waitFor()
  await checked(1)
  await looks('checklists')
  const late = async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    await route.continue()
  }
  await page.route('**/checklists/*', late, { times: 1 }) // what is ticked off is kept, though the list is removed before the daemon has answered
  await page.keyboard.press('x')
  await list.getByText('2/2').waitFor()
  await page.keyboard.press('k')
  await page.keyboard.press('k')
  await page.keyboard.press('Delete')
  await page.getByText('Removed: Release 2.4').waitFor()
  await page.keyboard.press('u')
  await list.getByText('2/2').waitFor()
})

test('reminders, links and ideas are added, edited, put away and brought back', async () => {
  await open('/reminders')
  await page.keyboard.press('n')
  await page.keyboard.type('Call Bo')
  await page.keyboard.press('Enter')
  await page.getByRole('row').filter({ hasText: 'Call Bo' }).filter({ hasText: 'waits' }).waitFor()
  await page.keyboard.press('Escape')
  await looks('reminders')
  await page.keyboard.press('x')
  await page.getByText('Removed: Call Bo').waitFor()
  await page.keyboard.press('u')
  await page.getByRole('table').getByRole('link', { name: 'Call Bo' }).waitFor()
  await page.getByLabel('New reminder', { exact: true }).last().fill('Water the plants')
  await page.getByLabel('How often').selectOption('daily')
  await page.getByLabel(/^When; tomorrow/).fill('2026-01-01T09:00')
  await page.keyboard.press('Enter')
  const plants = page.getByRole('row').filter({ hasText: 'Water the plants' })
  await plants.waitFor()
  assert.equal(await plants.getByRole('button', { name: /tomorrow$/ }).count(), 0) // it would move all that come after
  const kept = await (await page.request.get(world.at(`/api/projects/${project}/reminders`))).json()
  assert.equal(kept.items.find((r) => r.body.message === 'Water the plants').body.timezone, await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone))
  const rang = await page.request.post(world.at(`/api/projects/${project}/reminders`), { data: { message: 'Call Cy', triggerAt: '2026-01-01', triggered: true, lastTriggeredAt: '2026-01-01T00:00:00Z' }, headers: { Origin: world.daemon.origin } })
  assert.equal(rang.status(), 201)
  await page.getByRole('button', { name: 'Acknowledge Call Cy' }).click()
  await page.getByRole('row').filter({ hasText: 'Call Cy' }).filter({ hasText: 'acknowledged' }).waitFor()

  await open('/links')
  await page.keyboard.press('n')
  await page.keyboard.type('https://example.com/runbook The runbook')
  await page.keyboard.press('Enter')
  const link = page.getByRole('table').getByRole('link', { name: 'The runbook', exact: true })
  await link.waitFor()
  assert.deepEqual([await link.getAttribute('href'), await link.getAttribute('rel')], ['https://example.com/runbook', 'noreferrer noopener'])
  await page.getByLabel('New link', { exact: true }).last().fill('javascript:alert(1)')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('http://').waitFor()
  world.complaints.length = 0 // the browser notes the 422
  await page.keyboard.press('Escape')
  await page.keyboard.press('p')
  await page.getByRole('img', { name: 'pinned' }).waitFor()
  await looks('links')

  await open('/ideas')
  await page.keyboard.press('n')
  await page.keyboard.type('Keys per environment #keys')
  await page.keyboard.press('Enter')
  const idea = page.getByRole('row').filter({ hasText: 'Keys per environment' })
  await idea.getByRole('cell', { name: 'keys', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('e')
  await page.getByLabel('Content').fill('One for each.')
  await page.keyboard.press('Control+Enter')
  await idea.getByText('One for each.').waitFor()
  await looks('ideas')
  await page.keyboard.press('t')
  await idea.waitFor({ state: 'detached' })
  await page.getByLabel('Status').selectOption('PROMOTED')
  await page.getByRole('link', { name: 'ticket', exact: true }).click()
  await page.getByRole('heading', { name: 'Keys per environment' }).waitFor()
})

test('a record shows its words, what refers to it and what became of it; two people do not overwrite each other', async () => {
  await open(`/records/${ids.retry}`)
  await page.getByText('Ann retries it').waitFor()
  await page.getByText('status To do → Done').waitFor()
  const names = await page.locator('main dt').allTextContents()
  assert.deepEqual(names.slice(0, 2), ['story points', 'sprint'])
  await looks('record')
  await page.keyboard.press('E')
  const form = page.getByRole('form', { name: 'Edit Retry the refund' })
  await form.getByLabel('Title').fill('Retry the refund twice')
  await patch('tickets', ids.retry, { priority: 'HIGH' })
  await page.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('alert').getByText('priority is now HIGH').waitFor()
  world.complaints.length = 0 // the browser notes the 409
  await looks('conflict')
  await form.getByRole('button', { name: 'Keep mine' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Retry the refund twice' }).waitFor()
  await page.getByRole('button', { name: 'as it was' }).last().click()
  await page.getByRole('heading', { name: 'Retry the refund', exact: true }).waitFor()
  await page.getByTestId('past').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Edit' }).count(), 0)
  await open(`/records/${ids.goal}`)
  await page.getByRole('region', { name: 'Tickets' }).waitFor()
  await choose('Retry the refund twice')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Retry the refund twice' }).waitFor()
})

test('the browser asks before what is written and not saved is lost', async () => {
  await open(`/records/${ids.retry}`)
  const asked = []
  const answer = (d) => asked.push(d.type()) && void d.dismiss()
  page.on('dialog', answer)
  const leave = () => page.evaluate(() => { location.reload() })
  await page.keyboard.press('E')
  const title = page.getByRole('form', { name: /^Edit / }).getByLabel('Title')
  const before = await title.inputValue()
  await title.press('End')
  await title.pressSequentially('!')
  await leave()
  await page.waitForTimeout(300)
  assert.deepEqual([asked, await title.inputValue()], [['beforeunload'], `${before}!`])
  await title.press('Escape')
  page.off('dialog', answer)
  page.on('dialog', (d) => asked.push(d.type()))
  await page.reload()
  assert.deepEqual(asked, ['beforeunload'], 'nothing is asked when nothing would be lost')
  page.removeAllListeners('dialog')
})

test('the page asks before another view takes the place of what is written and not saved', async () => {
  await open(`/records/${ids.retry}`)
  const asked = []
  let stay = true
  page.on('dialog', (d) => {
    asked.push(d.message())
    void (stay ? d.dismiss() : d.accept())
  })
  const here = page.url()
  await page.keyboard.press('E')
  const title = page.getByRole('form', { name: /^Edit / }).getByLabel('Title')
  await title.press('End')
  await title.pressSequentially('!')
  const written = await title.inputValue()
  const rail = page.getByRole('navigation').getByRole('link', { name: 'Sprint' }).first()
  for (const leave of [() => rail.click(), () => page.goBack()]) {
    asked.length = 0
    await leave()
    await page.waitForTimeout(300)
    await page.waitForURL(here) // a step back is undone when it was refused
    assert.equal(asked.length, 1)
    assert.match(asked[0], /not saved/)
    assert.equal(await title.inputValue(), written)
  }
  stay = false
  await rail.click()
  await page.getByRole('heading', { name: 'Sprint', level: 2 }).waitFor()
  assert.equal(asked.length, 2)
  await open(`/records/${ids.retry}`)
  await rail.click()
  await page.getByRole('heading', { name: 'Sprint', level: 2 }).waitFor()
  assert.equal(asked.length, 2, 'nothing is asked when nothing would be lost')
  page.removeAllListeners('dialog')
})

test('the page asks before a new ticket, memory, note or provider that is not saved is lost', async () => {
  for (const [path, add, field] of [['/tickets', 'New ticket', 'What is to be done'], ['/memory', 'New memory', 'Content'], ['/memory', '', 'New note, its text'], ['/models', 'Add a model', 'Model']]) {
    await open(path)
    if (add && (await page.getByLabel(field, { exact: true }).count()) === 0) await page.getByRole('button', { name: add }).click()
    if (!add) await page.getByText('What is remembered of you').click()
    const words = page.getByLabel(field, { exact: true })
    await words.fill('Written')
    const asked = []
    page.on('dialog', (d) => {
      asked.push(d.message())
      void d.dismiss()
    })
    await page.getByRole('navigation').getByRole('link', { name: 'Sprint' }).first().click()
    await page.waitForTimeout(300)
    assert.equal(asked.length, 1, `${path} ${field}`)
    assert.match(asked[0], /not saved/)
    assert.equal(await words.inputValue(), 'Written')
    page.removeAllListeners('dialog')
    await words.fill('')
  }
})

test('a second Enter makes nothing twice, and what was refused is not lost', async () => {
  await open('/ideas')
  const made = []
  const held = '**/api/projects/*/ideas'
  await page.route(held, async (r) => {
    if (r.request().method() === 'POST') made.push(r.request().postData())
    await new Promise((later) => setTimeout(later, 200))
    await r.continue()
  })
  await page.keyboard.press('n')
  await page.keyboard.type('Only once')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.getByRole('table').getByText('Only once').waitFor()
  await page.unroute(held)
  assert.equal(made.length, 1)

  await open('/tickets')
  await page.keyboard.press('n')
  const form = page.getByRole('form', { name: 'New ticket' })
  const long = 'x'.repeat(100_001)
  await form.getByLabel('What is to be done').fill(long)
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('longer than').waitFor()
  world.complaints.length = 0 // the browser notes the 422
  assert.equal(await form.getByLabel('What is to be done').inputValue(), long)
  await form.getByLabel('What is to be done').fill('Short')
  await page.keyboard.press('Enter')
  await page.getByText('Made the ticket Short').waitFor()
  assert.equal(await form.getByLabel('What is to be done').inputValue(), '')
})

test('what a record names is chosen by title', async () => {
  const named = (want) => page.waitForFunction(async ([of, want]) => JSON.stringify((await (await fetch(of)).json()).body.objectiveIds ?? []) === want, [`/api/records/${ids.retry}`, JSON.stringify(want)]) // it shows before the daemon has it
  await open(`/records/${ids.retry}`)
  await page.keyboard.press('E')
  await page.getByRole('button', { name: 'Take Refunds in a day out' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Edit' }).waitFor()
  await named([])
  await page.keyboard.press('E')
  await page.getByLabel('Objective', { exact: true }).pressSequentially('Refunds')
  await page.getByLabel('Objective', { exact: true }).press('Enter')
  await page.getByRole('button', { name: 'Take Refunds in a day out' }).waitFor()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('button', { name: 'Edit' }).waitFor()
  await named([ids.goal])
})

test('no page complained or called elsewhere', () => {
  assert.deepEqual(world.complaints, [])
})
