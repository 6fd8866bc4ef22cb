// The main job, as a person does it: by the page alone.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { demo, drop, goTo, makeProject, shot, startWorld, takenIn } from './world.mjs'

const minutes = readFileSync(demo('minutes.md'), 'utf8')
let world
let page

before(async () => {
  world = await startWorld()
  page = world.page
})

after(() => world?.stop())

/** rows are the texts of a table's cells, row by row. */
const rows = () => page.locator('tbody tr').evaluateAll((trs) => trs.map((tr) => [...tr.cells].map((td) => td.textContent.trim())))

test('a stranger is told how to log in, the link logs in once', async () => {
  await page.goto(world.at('/'))
  await page.getByText('Nobody is logged in').waitFor()
  await shot(page, '01-stranger')
  world.complaints.length = 0 // the browser notes the 401
  await page.goto(world.daemon.login)
  await page.getByText('Make a project first').waitFor()
  await shot(page, '02-no-project')
  const again = await page.request.get(world.daemon.login)
  assert.equal(again.status(), 401)
})

test('pasted minutes go through the phases', async () => {
  await makeProject(page, 'Payments')
  await page.getByLabel('Paste notes').fill(minutes)
  await page.keyboard.press('Control+Enter')
  await takenIn(page, 1)
  const phases = await page.locator('.phases li').evaluateAll((items) => items.map((li) => li.className))
  assert.equal(phases.length, 7)
  for (const phase of phases) assert.match(phase, /^(done|skipped)$/)
  assert.equal(await page.getByLabel('Paste notes').inputValue(), '')
  await shot(page, '03-minutes')
})

test('a dropped export is taken in, and the same content adds nothing', async () => {
  const csv = readFileSync(demo('tickets.csv'))
  await drop(page, 'tickets.csv', csv)
  await page.getByRole('button', { name: 'Leave out tickets.csv' }).waitFor()
  await shot(page, '04-dropped')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await takenIn(page, 2)
  await page.getByText(/New: .*7 tickets/).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Leave out' }).count(), 0, 'a file stays chosen after it was taken in')
  await shot(page, '05-export')
  await page.getByLabel('Files').setInputFiles(demo('tickets.csv'))
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('The same content was imported before').waitFor()
})

test('an export is previewed, its columns are corrected, and a newer one tells what is different', async () => {
  await goTo(page, 'Intake')
  await makeProject(page, 'Work')
  const csv = (rows) => Buffer.from(`Nr;Was zu tun ist;Wie weit;Gewicht\n${rows}\n`)
  await drop(page, 'arbeit.csv', csv('A-1;Retry;offen;3\nA-2;Ship;fertig;5'))
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('not known as an export').waitFor()
  for (const [field, column] of [['title', 'Was zu tun ist'], ['key', 'Nr'], ['status', 'Wie weit'], ['points', 'Gewicht']]) {
    await page.getByLabel(`Column of ${field}`).selectOption(column)
    await page.waitForFunction(([f, c]) => document.querySelector(`[aria-label="Column of ${f}"]`)?.value === c, [field, column])
  }
  await page.getByTestId('counts').filter({ hasText: '2 new tickets, 0 changed, 0 as they are' }).waitFor()
  await page.getByRole('cell', { name: 'Ship' }).waitFor()
  await shot(page, '05-preview')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await takenIn(page, 1)
  await page.getByText('New: 2 tickets').waitFor()
  await drop(page, 'arbeit.csv', csv('A-1;Retry;fertig;3\nA-2;Ship;fertig;8\nA-3;Tell;offen;1'))
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByTestId('counts').filter({ hasText: '1 new ticket, 2 changed, 0 as they are' }).waitFor()
  assert.equal(await page.getByLabel('Column of points').inputValue(), 'Gewicht', 'the project does not remember the columns')
  const differences = () => page.locator('details:has(summary:text("What is different")) tbody tr').evaluateAll((trs) => trs.map((tr) => [...tr.cells].map((td) => td.textContent.trim()).join(' | ')))
  const want = ['A-1 Retry | status | TODO | DONE', 'A-2 Ship | storyPoints | 5 | 8']
  assert.deepEqual(await differences(), want)
  await shot(page, '05-differences')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await takenIn(page, 2)
  await page.getByText('Changed: 2 tickets').waitFor()
  await page.getByText('What is different').waitFor()
  assert.deepEqual(await differences(), want)
  await shot(page, '05-changed')
  await drop(page, 'jira.csv', Buffer.from('Issue key,Summary,Status,Reporter,Comment\nB-1,Refund,Open,Bo,02/Mar/26 9:30 AM;Ann Lee;Which cards?\n'))
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await takenIn(page, 3)
  await goTo(page, 'Tickets')
  await page.getByRole('link', { name: 'Refund' }).click()
  await page.getByText('Ann Lee · Mar 2 · comment').waitFor()
  await page.getByText('Which cards?', { exact: true }).waitFor()
  await shot(page, '05-evidence')
  await goTo(page, 'Intake')
  await page.getByLabel('Project', { exact: true }).selectOption({ label: 'Payments' })
})

test('threads quote the words, and name the document and the line', async () => {
  await goTo(page, 'Threads')
  const lines = minutes.split('\n')
  await page.getByTestId('total').getByText('3', { exact: true }).waitFor()
  const evidence = []
  for (let i = 0; i < 3; i++) {
    await page.keyboard.press(i === 0 ? 'k' : 'j')
    await page.keyboard.press('Enter')
    const title = await page.locator('main [aria-current=true]').locator('span').first().textContent()
    await page.locator('main h3').filter({ hasText: title }).waitFor()
    await page.getByRole('heading', { name: /^Where it comes from/ }).waitFor()
    for (const more of await page.locator('main summary').all()) await more.click()
    evidence.push(...await page.locator('.sources li').evaluateAll((items) => items.map((li) => [li.querySelector('blockquote').textContent, li.querySelector('span').textContent])))
  }
  assert.ok(evidence.length >= 10, `${evidence.length} quotes`)
  for (const [quote, from] of evidence) {
    const line = Number(from.match(/^pasted text, line (\d+) ·/)?.[1])
    assert.ok(lines[line - 1]?.includes(quote), `“${quote}” is said to stand in ${from}`)
  }
  await page.getByText('keys are issued by the service, with a second pair of eyes').first().waitFor()
  await shot(page, '06-threads')
})

test('tickets are those of the export and of the minutes, and can be narrowed', async () => {
  await goTo(page, 'Tickets')
  await page.locator('tbody tr').first().waitFor()
  const all = await rows()
  assert.equal(all.length, 12) // 7 of the export, 5 of the minutes
  assert.equal(await page.getByTestId('total').textContent(), '12')
  assert.deepEqual(all.find((r) => r[0] === 'PAY-202'), ['PAY-202', 'Retry queue with backoff', 'In progress', 'High', '8', 'Joe Martinez', 'Mar 13', 'Sprint 7'])
  assert.equal(all.find((r) => r[0] === 'PAY-206')[5], 'Unassigned')
  await shot(page, '07-tickets')
  await page.getByLabel('Status').selectOption('DONE')
  await page.waitForFunction(() => document.querySelector('[data-testid=total]')?.textContent === '1')
  assert.equal((await rows())[0][0], 'PAY-207')
  await page.getByLabel('Status').selectOption('')
  await page.getByLabel('Words in the title').fill('backoff')
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
  await page.getByLabel('Words in the title').fill('nothing like it')
  await page.getByText('No tickets fit').waitFor()
})

test('a filter narrows, a wrong one says what is allowed, words find records of all kinds', async () => {
  await goTo(page, 'Tickets')
  const filter = async (text) => {
    await page.getByLabel('Filter').fill(text)
    await page.getByLabel('Filter').press('Enter')
  }
  await filter('status:DONE')
  await page.waitForFunction(() => [...document.querySelectorAll('tbody tr')].every((tr) => tr.cells[2].textContent.trim() === 'Done'))
  await filter('stat:DONE')
  await page.getByRole('alert').filter({ hasText: 'status' }).waitFor()
  world.complaints.length = 0 // the browser notes the 422
  await shot(page, '07-filter')
  await goTo(page, 'Search')
  await page.getByLabel('Words').fill('retr')
  await page.locator('mark').first().waitFor()
  assert.match((await page.locator('mark').first().textContent()).toLowerCase(), /^retr/)
  await shot(page, '07-search')
})

test('people are listed with their capacity', async () => {
  await goTo(page, 'People')
  await page.locator('tbody tr').first().waitFor()
  const people = (await rows()).filter((r) => r.length === 8)
  assert.deepEqual(people.map((r) => r[0]).sort(), ['Alice Chen', 'Bob Taylor', 'Dana Reyes', 'Joe Martinez'])
  const joe = people.find((r) => r[0] === 'Joe Martinez')
  assert.deepEqual([joe[6], joe[4], joe[5]], ['4 of 40 h', '4', '16'], 'hours by the estimate, open tickets, points')
  await page.getByText('10 of 11 open tickets assigned').waitFor()
  await shot(page, '08-people')
})

test('a question is answered from the records, and a citation opens the record', async () => {
  await goTo(page, 'Ask')
  await page.getByLabel('Question').fill('Which developer has the most capacity?')
  await page.keyboard.press('Enter')
  const answer = page.getByTestId('answer')
  await answer.locator('a.cite').first().waitFor()
  const said = await answer.textContent()
  for (const name of ['Alice Chen', 'Bob Taylor', 'Dana Reyes', 'Joe Martinez']) assert.ok(said.includes(name), `the answer leaves ${name} out:\n${said}`)
  await shot(page, '09-ask')
  await answer.locator('a.cite[href*="/records/res_"]').first().click()
  await page.getByText('Where it comes from').waitFor()
  const quote = await page.locator('main blockquote').first().textContent()
  assert.ok(minutes.includes(quote), `“${quote}” does not stand in the minutes`)
  const address = page.url()
  assert.match(address, /\/records\/res_/)
  await page.reload()
  await page.getByText('Where it comes from').waitFor()
  assert.equal(page.url(), address)
  await shot(page, '10-record')
})

test('a run shows its steps, the log what was recorded', async () => {
  await goTo(page, 'Runs')
  await page.locator('tbody a').first().click()
  await page.getByRole('heading', { name: 'Steps' }).waitFor()
  const phase = page.getByRole('treeitem').filter({ hasText: 'extract' })
  await phase.click()
  await phase.getByText('What came of it').waitFor()
  await phase.getByText(/^New: .*tickets?/).last().waitFor()
  await shot(page, '11-run')
  await goTo(page, 'Log')
  await page.getByLabel('Type', { exact: true }).fill('desk.ticket.*')
  await page.keyboard.press('Enter')
  const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem')
  await page.waitForFunction(() => {
    const shown = [...document.querySelectorAll('[aria-label=Events] [role=listitem]')]
    return shown.length > 0 && shown.every((e) => e.textContent.includes('desk.ticket.'))
  })
  await events.first().click()
  await page.getByTestId('payload').getByText('ticket').first().waitFor()
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByText(/\d+ events in \d+ streams verify/).waitFor()
  await shot(page, '12-log')
})

test('a conversation without a model says what it can, and a reload keeps it', async () => {
  await goTo(page, 'Chat')
  await page.getByLabel('Message', { exact: true }).fill('whereami')
  await page.keyboard.press('Enter')
  const answer = page.getByTestId('message').filter({ hasText: 'in the project Payments' })
  await answer.waitFor()
  await page.reload()
  await answer.waitFor()
  await shot(page, '13-chat')
})

test('the plan is in order, an item is ticked off, an idea becomes a ticket', async () => {
  const project = new URL(page.url()).searchParams.get('project')
  const made = (plural, data) => page.request.post(world.at(`/api/projects/${project}/${plural}`), { data, headers: { Origin: world.at('') } })
  for (const [plural, data] of [
    ['phases', { name: 'Launch', sortOrder: 2 }],
    ['phases', { name: 'Beta', sortOrder: 1, exitCriteria: ['10 users'] }],
    ['milestones', { name: 'First user', targetDate: '2026-04-01', owner: 'Ann' }],
    ['checklists', { name: 'Release 2.4', items: [{ text: 'Rollback tried' }, { text: 'Notes written' }] }],
    ['ideas', { title: 'Retry cards', content: 'Three times.' }],
    ['links', { url: 'https://example.com/runbook', title: 'Runbook' }],
    ['reminders', { message: 'Call Bob', triggerAt: '2090-03-09' }],
  ]) assert.equal((await made(plural, data)).status(), 201, plural)
  await goTo(page, 'Plan')
  await page.getByText('First user').first().waitFor()
  assert.deepEqual((await rows()).map((r) => r[1]), ['Beta', 'Launch', 'First user'])
  await shot(page, '11-plan')
  await goTo(page, 'Checklists')
  await page.getByLabel('Rollback tried').check()
  await page.getByText('1/2').waitFor()
  await goTo(page, 'Links')
  assert.equal(await page.getByRole('table').getByRole('link', { name: 'Runbook', exact: true }).getAttribute('href'), 'https://example.com/runbook')
  await goTo(page, 'Reminders')
  await page.getByRole('cell', { name: 'Call Bob' }).first().waitFor()
  await goTo(page, 'Ideas')
  await page.getByRole('button', { name: 'Make a ticket' }).click()
  await page.getByLabel('Status').selectOption('PROMOTED')
  await page.getByRole('link', { name: 'ticket', exact: true }).click()
  await page.getByText('Retry cards').first().waitFor()
})

test('a project is archived, is made active, becomes a template, and another begins as it', async () => {
  await goTo(page, 'Project')
  await page.getByRole('button', { name: 'Archive' }).click()
  await page.getByText('It is archived').waitFor()
  const project = new URL(page.url()).searchParams.get('project')
  const refused = await page.request.post(world.at(`/api/projects/${project}/ideas`), { data: { title: 'Late' }, headers: { Origin: world.at('') } })
  assert.equal(refused.status(), 409)
  assert.equal(await page.locator('select[aria-label=Project] optgroup[label=Archived] option').textContent(), 'Payments')
  await shot(page, '13-archived')
  await page.getByRole('button', { name: 'Make active' }).click()
  await page.getByRole('button', { name: 'Archive' }).waitFor()
  await page.getByLabel('Name of the copy').fill('Release')
  await page.getByRole('button', { name: 'Save as a template' }).click()
  await page.locator('main b').filter({ hasText: 'Release' }).waitFor()
  await page.getByLabel('New project').click()
  await page.getByLabel('Begin as').selectOption({ label: 'Release' })
  await makeProject(page, 'Release 3')
  await goTo(page, 'Plan')
  await page.getByText('First user').first().waitFor()
  await goTo(page, 'Project')
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete Release 3' }).click()
  await page.waitForFunction(() => ![...document.querySelectorAll('select[aria-label=Project] option')].some((o) => o.text === 'Release 3'))
  await page.getByLabel('Project', { exact: true }).selectOption({ label: 'Payments' })
})

test('the name of a next project stays while the one before is shown', async () => {
  const projects = /\/api\/projects(\?|$)/
  let show
  const shown = new Promise((resolve) => { show = resolve })
  let made = false
  await page.route(projects, async (r) => {
    if (r.request().method() === 'POST') made = true
    else if (made) await shown
    await r.continue()
  })
  const name = page.getByLabel('Name of the project')
  const make = page.getByRole('button', { name: 'Create', exact: true })
  await page.getByLabel('New project').click()
  await name.fill('Ledger')
  await make.click()
  await name.waitFor({ state: 'hidden' })
  await page.getByLabel('New project').click()
  await name.fill('Refunds')
  show()
  await page.waitForFunction(() => document.querySelector('select[aria-label=Project]')?.selectedOptions[0]?.text === 'Ledger')
  assert.equal(await name.inputValue(), 'Refunds')
  await make.click()
  await page.waitForFunction(() => document.querySelector('select[aria-label=Project]')?.selectedOptions[0]?.text === 'Refunds')
  await page.unroute(projects)
  await page.getByLabel('Project', { exact: true }).selectOption({ label: 'Payments' })
})

test('a file that cannot be read ends as one sentence', async () => {
  await goTo(page, 'Intake')
  await drop(page, 'photo.csv', [0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, 0, 0])
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  const card = page.locator('article[data-status=DISPATCHED]').filter({ hasText: 'photo.csv' })
  await card.locator('p.danger').waitFor()
  const said = await card.locator('p.danger').allTextContents()
  assert.equal(said.length, 1)
  assert.match(said[0], /^photo\.csv is a binary file .*\.$/)
  await shot(page, '14-binary')
})

test('a large export is seen on its way', async () => {
  await goTo(page, 'Intake')
  await makeProject(page, 'Large')
  await page.evaluate(() => {
    window.seen = new Set()
    const look = () => {
      for (const a of document.querySelectorAll('article[data-status]')) window.seen.add(a.dataset.status)
    }
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true })
  })
  const rows = Array.from({ length: 3000 }, (_, i) => `L-${i},Ticket number ${i},To Do,${i % 8}`)
  await drop(page, 'large.csv', Buffer.from(`Issue key,Summary,Status,Story Points\n${rows.join('\n')}\n`))
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await takenIn(page, 1)
  const seen = await page.evaluate(() => [...window.seen])
  assert.ok(seen.length > 1 && seen.at(-1) === 'DISPATCHED', `the phases ended without being seen on their way: ${seen}`)
  await page.getByText('New: 3000 tickets').waitFor()
})

test('schedules are listed, made, switched, and work now', async () => {
  await page.keyboard.press('Escape')
  await page.locator('main h2').click()
  await page.keyboard.press('g')
  await page.keyboard.press('h')
  await page.locator('main h2').filter({ hasText: 'Schedules' }).waitFor()
  const first = page.locator('main table').first()
  await page.getByRole('button', { name: 'Run now: thread-extractor' }).first().waitFor() // until then another table may be the first
  assert.equal(await first.locator('tbody tr').count(), 6)
  const form = page.getByRole('form', { name: 'New schedule' })
  await page.keyboard.press('n')
  await form.getByLabel('Agent', { exact: true }).selectOption('pm')
  await form.getByLabel('Kind').selectOption('CRON')
  await form.getByLabel('Cron expression').fill('0 25 * * *')
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  await form.getByRole('alert').filter({ hasText: 'cronExpr' }).waitFor()
  await form.getByRole('status').filter({ hasText: 'no expression' }).waitFor() // before anything is saved, too
  world.complaints.length = 0 // the browser notes the 422
  await form.getByLabel('Cron expression').fill('15 6 * * *')
  await form.getByLabel('Time zone').fill('Asia/Tokyo')
  await form.getByRole('button', { name: 'Create', exact: true }).press('Enter')
  await first.getByText('every day at 6:15 AM, Asia/Tokyo').waitFor()
  await form.getByLabel('Kind').selectOption('FIXED_TIMES')
  await form.getByLabel('Times of the day').fill('07:30, 19:45')
  await form.getByText('More: attempts').click()
  await form.getByLabel('Hours looked back').fill('24')
  await form.getByLabel('Threads').fill('status:OPEN (')
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  await form.getByRole('alert').filter({ hasText: 'filter of threads' }).waitFor()
  world.complaints.length = 0 // the browser notes the 422
  await form.getByLabel('Threads').fill('title:~refund')
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  await first.getByText('every day at 7:30 AM, 7:45 PM, Asia/Tokyo').waitFor()
  await form.getByLabel('Kind').selectOption('INTERVAL')
  await form.getByLabel('Minutes').fill('90')
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  await first.getByText('every 90 minutes from midnight, Asia/Tokyo').waitFor()
  await form.getByLabel('Kind').selectOption('IMMEDIATE')
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  await first.getByText('once, at once').waitFor()
  await form.getByLabel('Kind').press('Escape')
  await form.waitFor({ state: 'detached' })
  const on = page.getByLabel('pm, every day at 6:15 AM, Asia/Tokyo is on')
  await on.focus()
  await page.keyboard.press('Space')
  await page.waitForFunction(() => document.querySelector('input[aria-label^="pm, every day at 6:15"]')?.checked === false)
  await page.getByRole('button', { name: 'Run now: pm' }).first().press('Enter')
  await page.getByRole('cell', { name: 'No model is configured' }).first().waitFor()
  await page.getByRole('cell', { name: 'SKIPPED' }).first().waitFor()
  await shot(page, '14-schedules')
})

test('a schedule is edited by keys, told when it would work, and shows what came of it', async () => {
  const first = page.locator('main table').first()
  const row = first.getByRole('row').filter({ hasText: '15 6 * * *' })
  await row.focus()
  await page.keyboard.press('e')
  const form = page.getByRole('form', { name: 'Edit the schedule of pm' })
  await form.getByLabel('Kind').selectOption('CRON')
  await form.getByLabel('Cron expression').fill('45 23 * * SUN')
  await form.getByRole('status').filter({ hasText: /Next, in Asia\/Tokyo: (Sun.*23:45( · )?){5}/ }).waitFor()
  await page.keyboard.press('Enter')
  await form.waitFor({ state: 'detached' })
  const edited = first.getByRole('row').filter({ hasText: 'Sundays at 11:45 PM, Asia/Tokyo' })
  await edited.focus()
  await page.keyboard.press('x')
  await edited.getByRole('checkbox', { checked: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.querySelector('[aria-label="Of the schedule"]')?.selectedOptions[0]?.text.includes('Sundays at 11:45'))
  await page.getByLabel('Result').selectOption('SKIPPED')
  await page.getByRole('cell', { name: 'No model is configured' }).first().waitFor() // why nothing was begun
  await page.getByLabel('Result').selectOption('FAIL')
  await page.getByText('No run ended like this.').waitFor()
})

test('no page complained or called elsewhere', () => {
  assert.deepEqual(world.complaints, [])
})
