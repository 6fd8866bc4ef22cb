// The views of findings, memory, users and models: what each shows, and what one does there.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { shot, startDesk } from './world.mjs'

let world
let page
let project

before(async () => {
  world = await startDesk()
  page = world.page
  project = world.project
})

after(() => world?.stop())

/** call asks the daemon as the owner's programs do. */
async function call(method, path, data) {
  const res = await page.request.fetch(world.at(path), { method, data, headers: { Origin: world.daemon.origin } })
  assert.ok(res.ok(), `${method} ${path}: ${await res.text()}`)
  return res.json()
}

/** keep makes a record of the project. */
const keep = (plural, data) => call('POST', `/api/projects/${project}/${plural}`, data)

/** looks keeps pictures of a view in each look, wide and narrow. */
async function looks(name) {
  if (!process.env.CHELA_SHOTS) return
  for (const [width, height] of [[1280, 800], [390, 844]]) {
    await page.setViewportSize({ width, height })
    for (const look of ['terminal', 'light', 'contrast']) {
      await page.evaluate((l) => { document.documentElement.dataset.theme = l }, look)
      await shot(page, `50-${name}-${width}-${look}`)
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.evaluate(() => { document.documentElement.dataset.theme = 'terminal' })
}

/** open opens a view of the project. */
async function open(path) {
  await page.goto(world.at(`${path}${path.includes('?') ? '&' : '?'}project=${project}`))
  await page.locator('main h2').first().waitFor() // seen: a view shows when its parts are there
  await page.waitForFunction(() => !document.querySelector('main')?.textContent.includes('Loading…'))
}

const row = (text) => page.getByRole('row').filter({ hasText: text })
const chosen = () => page.locator('[aria-current=true]')
const total = (n) => page.waitForFunction((want) => document.querySelector('[data-testid=total]')?.textContent === want, String(n))

test('blindspots are settled by one key each', async () => {
  await open('/blindspots')
  await page.getByText('No blindspot is open').waitFor()
  const ticket = await keep('tickets', { title: 'Rotate the keys' })
  const made = []
  for (const [title, severity, more] of [
    ['Nobody reads the alerts', 'LOW'], ['Keys are never rotated', 'CRITICAL', { recordIds: [ticket.id], owner: 'Ann', description: 'The oldest is from 2019.' }],
    ['No test of refunds', 'HIGH'], ['Backups are not tried', 'MEDIUM'],
  ]) made.push(await keep('blindspots', { title, severity, category: 'DEPENDENCY_RISK', ...more }))
  await total(4) // by itself: the log is live
  await page.getByRole('table').getByRole('link', { name: 'Rotate the keys' }).waitFor()
  assert.deepEqual(await page.locator('tbody tr td:first-child').allTextContents(), ['Critical', 'High', 'Medium', 'Low'])
  await looks('blindspots')
  await chosen().filter({ hasText: 'Keys are never rotated' }).waitFor()
  await page.keyboard.press('a')
  await row('Keys are never rotated').filter({ hasText: 'ACKNOWLEDGED' }).waitFor()
  await page.keyboard.press('j')
  await chosen().filter({ hasText: 'No test of refunds' }).waitFor()
  await page.keyboard.press('r')
  await total(3)
  await chosen().filter({ hasText: 'Backups are not tried' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('x')
  await total(2)
  await page.getByRole('button', { name: 'Resolve Backups are not tried' }).click()
  await total(1)
  const now = await Promise.all(made.map((b) => call('GET', `/api/records/${b.id}`)))
  assert.deepEqual(now.map((b) => b.body.status), ['DISMISSED', 'ACKNOWLEDGED', 'RESOLVED', 'RESOLVED'])
  assert.match(now[2].body.resolvedAt, /^\d{4}-\d\d-\d\d$/)

  await page.getByLabel('Status', { exact: true }).selectOption('RESOLVED')
  await total(2)
  await page.getByLabel('Severity', { exact: true }).selectOption('HIGH')
  await total(1)
  await page.reload()
  await total(1)
  await page.getByRole('button', { name: 'Reopen No test of refunds' }).click()
  await page.getByText('No blindspot fits').waitFor()
})

test('a letter after g goes elsewhere, one in a field is the field\'s, and neither settles anything', async () => {
  const edits = []
  const watch = (r) => r.method() === 'PATCH' && edits.push(r.url())
  page.on('request', watch)
  await open('/blindspots')
  await total(2)
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await page.locator('main h2').filter({ hasText: 'Runs' }).waitFor()
  await page.goBack()
  await total(2)
  await page.getByLabel('Status', { exact: true }).focus()
  await page.keyboard.press('x')
  assert.deepEqual(edits, [])
  await page.keyboard.press('Escape')
  await page.keyboard.press('x')
  await total(1)
  assert.equal(edits.length, 1, 'the same key settles what is chosen')
  page.off('request', watch)
})

test('deltas are accepted with their change, accepted, or dismissed', async () => {
  await open('/deltas')
  await page.getByText('Nothing to reconcile yet').waitFor()
  const thread = await keep('threads', { title: 'Weekly' })
  const ticket = await keep('tickets', { title: 'Split the handler', owner: 'Ann Lee', dueDate: '2031-04-01' })
  const between = { sourceA: thread.id, sourceB: ticket.id, recordIds: [thread.id, ticket.id] }
  const first = await keep('delta-packs', { title: 'Before', deltas: [{ deltaType: 'STALE_ARTIFACT', title: 'Untouched: Split' }] })
  const pack = await keep('delta-packs', { title: 'After the minutes', deltas: [
    { deltaType: 'STALE_ARTIFACT', severity: 'LOW', title: 'Untouched: Split the handler', suggestedAction: 'Ask how it stands.', recordIds: [ticket.id] },
    { deltaType: 'OWNER_MISMATCH', severity: 'HIGH', title: 'Two owners', fieldName: 'owner', valueA: 'Bob Stone', valueB: 'Ann Lee', suggestedAction: 'Ask who does it.', ...between },
    { deltaType: 'DATE_DRIFT', severity: 'MEDIUM', title: 'Two due dates', fieldName: 'dueDate', valueA: '2031-03-01', valueB: '2031-04-01', ...between },
    { deltaType: 'DATE_DRIFT', severity: 'HIGH', title: 'Overdue', fieldName: 'dueDate', sourceA: ticket.id, valueA: '2031-04-01', sourceB: 'today', valueB: '2031-05-01' },
  ] })
  await total(4) // by itself: the log is live
  await page.getByRole('button', { name: 'Accept Two owners with Bob Stone' }).waitFor()
  assert.deepEqual(await page.locator('main article b').allTextContents(), ['Two owners', 'Overdue', 'Two due dates', 'Untouched: Split the handler'])
  assert.equal(await page.getByRole('button', { name: /^Accept Overdue with/ }).count(), 0, 'a computed day is no value')
  await looks('reconcile')
  await page.keyboard.press('a')
  const owners = page.getByRole('article', { name: 'Two owners' })
  await owners.getByText(/Accepted by owner.* Changed: Split the handler/i).waitFor()
  await total(3)
  await page.getByRole('button', { name: 'Accept, change nothing: Two due dates' }).click()
  await total(2)
  await page.getByRole('article', { name: 'Overdue' }).click()
  await page.keyboard.press('x')
  await total(1)
  await looks('reconcile-decided')
  const now = await call('GET', `/api/projects/${project}/tickets/${ticket.id}`)
  assert.deepEqual([now.owner, now.body.dueDate], ['Bob Stone', '2031-04-01'])
  const after = await call('GET', `/api/records/${pack.id}`)
  assert.deepEqual(after.body.deltas.map((d) => d.decision), [undefined, 'ACCEPTED', 'ACCEPTED', 'DISMISSED'])
  await page.getByLabel('Delta pack', { exact: true }).selectOption(first.id)
  await page.getByText('a newer pack took its place').waitFor()
  assert.equal(await page.getByRole('button', { name: /^Accept/ }).count(), 0)
})

test('what was changed here and in a source is decided by keys, and said in words', async () => {
  const ticket = await keep('tickets', { title: 'Move the ledger', priority: 'LOW', dueDate: '2031-04-01' })
  const conflict = { ticketId: ticket.id, title: 'Move the ledger', asked: true, set: '{}', seen: 'e3b0c44298fc' } // it sets nothing, and that is the hash of nothing
  const compared = await keep('reconciliations', { sourceType: 'GENERIC_EXPORT', part: 'june.csv', conflicts: [
    { ...conflict, field: 'priority', ticketValue: 'LOW', sourceValue: 'HIGH' }, { ...conflict, field: 'dueDate', ticketValue: '2031-04-01', sourceValue: '2031-05-01' },
  ] })
  await open('/deltas')
  const priority = page.getByRole('article', { name: 'Move the ledger priority' })
  const due = page.getByRole('article', { name: 'Move the ledger due date' })
  await priority.getByText('High', { exact: true }).waitFor()
  await due.getByText('May 1, 2031').waitFor()
  while (await priority.getAttribute('aria-current') !== 'true') await page.keyboard.press('j') // after the deltas
  await page.keyboard.press('m')
  await priority.waitFor({ state: 'detached' })
  await page.keyboard.press('t')
  await due.waitFor({ state: 'detached' })
  const now = await call('GET', `/api/projects/${project}/tickets/${ticket.id}`)
  assert.deepEqual([now.body.priority, now.body.dueDate], ['LOW', '2031-04-01'])
  const after = await call('GET', `/api/records/${compared.id}`)
  assert.deepEqual(after.body.conflicts.map((c) => c.taken), ['MINE', 'THEIRS'])
})

test('memories are found, corrected and forgotten', async () => {
  await open('/memory')
  await page.getByText('Nothing is remembered yet').waitFor()
  await page.getByRole('button', { name: 'New memory' }).click()
  await page.keyboard.type('storage')
  await page.getByLabel('Content', { exact: true }).fill('Files are in S3.')
  await page.getByLabel('Tags', { exact: true }).fill('infra, files')
  await page.getByLabel('Expires', { exact: true }).fill('2099-01-31')
  await page.getByRole('button', { name: 'Save' }).click()
  await row('Files are in S3.').filter({ hasText: 'infra' }).filter({ hasText: 'Project' }).filter({ hasText: 'Owner' }).filter({ hasText: 'Jan 31, 2099' }).waitFor()
  await call('POST', '/api/memories', { key: 'release', content: 'Releases are on Tuesdays.' })
  await row('Releases are on Tuesdays.').filter({ hasText: 'Global' }).filter({ hasText: 'never' }).waitFor() // by itself
  await looks('memory')

  await page.getByLabel('Words in what is remembered').fill('tuesday')
  await total(1)
  await page.reload()
  await total(1)
  await page.keyboard.press('e')
  await looks('memory-edit')
  assert.equal(await page.getByLabel('Content', { exact: true }).inputValue(), 'Releases are on Tuesdays.', 'the key is not written into the field')
  await page.getByLabel('Content', { exact: true }).fill('Releases are on Tuesdays and Fridays.')
  await page.getByLabel('Tags', { exact: true }).fill('dates')
  await page.getByRole('button', { name: 'Save' }).click()
  await row('Tuesdays and Fridays.').filter({ hasText: 'dates' }).waitFor()
  await page.getByLabel('Words in what is remembered').fill('')
  await page.getByLabel('Scope', { exact: true }).selectOption('PROJECT')
  await total(1)
  await row('Files are in S3.').waitFor()

  const answers = []
  const answer = (yes) => page.once('dialog', (d) => {
    answers.push(d.message())
    return yes ? d.accept() : d.dismiss()
  })
  answer(false)
  await page.getByRole('button', { name: 'Forget storage' }).click()
  answer(true)
  await page.getByRole('button', { name: 'Forget storage' }).click()
  await page.getByText('No memory fits').waitFor()
  assert.equal(answers.length, 2)
  const left = await call('GET', `/api/memories?projectId=${project}`)
  assert.deepEqual(left.items.map((m) => [m.body.key, m.body.content, m.body.tags]), [['release', 'Releases are on Tuesdays and Fridays.', ['dates']]])
})

test('a person sees, corrects and forgets what is remembered of them', async () => {
  await open('/memory')
  await page.getByText('What is remembered of you: 0 notes').click()
  const written = page.getByLabel('New note, its text')
  await written.fill('I prefer short answers.')
  await written.press('Enter')
  const notes = page.getByRole('list', { name: 'Your notes' })
  await notes.getByText('I prefer short answers.').waitFor()
  await notes.getByText('You wrote it').waitFor()
  await notes.getByRole('button', { name: /^Correct/ }).click()
  const form = notes.getByRole('textbox')
  await form.fill('I prefer tables.')
  await form.press('Enter')
  await notes.getByText('I prefer tables.').waitFor()
  assert.deepEqual((await call('GET', '/api/notes')).map((n) => n.content), ['I prefer tables.'])
  page.once('dialog', (d) => d.accept())
  await notes.getByRole('button', { name: /^Forget/ }).click()
  await page.getByText('Say “remember that').waitFor()
})

test('a skill is shown, and switched off and on', async () => {
  await open('/skills')
  await total(3)
  await page.getByRole('button', { name: 'Show sprint-report' }).click()
  await page.getByText('While an agent follows it, it may call').waitFor()
  await page.getByText('The reader has two minutes').waitFor()
  await looks('skills')
  await page.getByRole('button', { name: 'Switch off sprint-report' }).click()
  await row('sprint-report').filter({ hasText: 'nobody: it is switched off' }).waitFor()
  await page.getByRole('button', { name: 'Switch on sprint-report' }).click()
  await row('sprint-report').filter({ hasText: 'all agents' }).waitFor()
  await page.locator('input[type=file]').setInputFiles({ name: 'no.zip', mimeType: 'application/zip', buffer: Buffer.from('no zip') })
  await page.getByRole('alert').filter({ hasText: 'is no zip file' }).waitFor()
  assert.match(world.complaints.splice(0).join(), /^console: Failed to load resource.* (400|422) [^,]*$/, 'the browser tells of the refusal')
})

test('somebody else\'s edit is not overwritten', async () => {
  await open('/memory')
  await page.getByRole('button', { name: 'Edit release' }).click()
  const [kept] = (await call('GET', '/api/memories')).items
  await call('PATCH', `/api/projects/${project}/memories/${kept.id}`, { tags: ['theirs'] })
  await row('Tuesdays').filter({ hasText: 'theirs' }).waitFor()
  await page.getByLabel('Content', { exact: true }).fill('Never.')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').filter({ hasText: 'was changed meanwhile' }).waitFor()
  assert.match((await call('GET', `/api/memories/${kept.id}`)).body.content, /Tuesdays/)
  assert.match(world.complaints.splice(0).join(), /^console: Failed to load resource.* 409 [^,]*$/, 'the browser tells of the refusal')
})

/** invited makes a person, and returns the token by which programs come in as that person. */
async function invited(name, role) {
  await page.getByLabel('Name of the person', { exact: true }).fill(name)
  await page.getByLabel('Role of the person').selectOption(role)
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const [, token] = (await page.getByTestId('invitation').textContent()).match(/^chela invite --accept (\S+)$/)
  await row('invitation').filter({ hasText: name }).waitFor()
  await page.getByRole('button', { name: 'Hide it' }).click()
  await page.getByTestId('invitation').waitFor({ state: 'detached' })
  const made = await call('POST', '/api/persons/accept', { token })
  await page.getByLabel(`Role of ${name}`).waitFor() // by itself
  return made
}

test('people are invited, given roles and shut out', async () => {
  await open('/users')
  const ann = await invited('Ann', 'admin')
  const vic = await invited('Vic', 'viewer')
  await total(3)
  await page.getByLabel('Role of Vic').selectOption('editor')
  await page.waitForFunction(() => document.querySelector('[aria-label="Role of Vic"]').value === 'editor')
  await looks('users')
  const asVic = () => page.request.get(world.at('/api/me'), { headers: { Authorization: `Bearer ${vic.token}` } })
  assert.equal((await (await asVic()).json()).role, 'editor')
  await page.getByRole('button', { name: 'Disable Vic' }).click()
  await row('Vic').filter({ hasText: 'disabled' }).waitFor()
  assert.equal((await asVic()).status(), 403)
  await page.getByRole('button', { name: 'Enable Vic' }).click()
  await page.getByRole('button', { name: 'Disable Vic' }).waitFor()
  page.once('dialog', (d) => d.accept())
  await page.getByRole('button', { name: 'Revoke the token of a program of Vic' }).click()
  await page.getByRole('button', { name: 'Revoke the token of a program of Vic' }).waitFor({ state: 'detached' })
  assert.equal((await asVic()).status(), 401)
  page.once('dialog', (d) => d.accept())
  await page.getByLabel('Role of Owner').selectOption('viewer')
  await page.getByRole('alert').filter({ hasText: 'nobody as owner' }).waitFor()
  assert.match(world.complaints.splice(0).join(), /^console: Failed to load resource.* 409 [^,]*$/, 'the browser tells of the refusal')

  const other = await world.context.browser().newContext()
  const link = await page.request.post(world.at('/api/login-link'), { headers: { Authorization: `Bearer ${ann.token}`, Origin: world.daemon.origin } })
  const hers = await other.newPage()
  await hers.goto(world.at((await link.json()).path))
  await hers.goto(world.at('/users'))
  await hers.getByLabel('Role of Vic').waitFor()
  assert.equal(await hers.getByLabel('Role of Owner').count(), 0, 'an admin does not change an owner')
  assert.deepEqual(await hers.getByLabel('Role of the person').locator('option').allTextContents(), ['viewer', 'editor', 'admin'])
  await hers.getByRole('button', { name: /^Revoke .* of Ann/ }).first().waitFor()
  assert.equal(await hers.getByRole('button', { name: /^Revoke .* of Owner/ }).count(), 0)
  await call('PATCH', `/api/persons/${ann.person.id}`, { role: 'viewer' })
  await hers.getByText('You are viewer.').waitFor() // by itself
  assert.equal(await hers.getByRole('form', { name: 'Invitation' }).count(), 0)
  assert.equal(await hers.getByRole('button', { name: /^Disable/ }).count(), 0)
  await hers.goto(world.at(`/blindspots?status=any&project=${project}`))
  await hers.getByText('Keys are never rotated').waitFor()
  assert.equal(await hers.getByRole('button', { name: /^Reopen|^Resolve/ }).count(), 0, 'a viewer is offered no change')
  await other.close()
})

test('providers are added and removed, and no key is shown again', async () => {
  await open('/models')
  await page.getByText('No model is configured').waitFor()
  const form = page.getByRole('form', { name: 'Provider' })
  const begin = async () => {
    if ((await form.count()) === 0) await page.getByRole('button', { name: 'Add a model' }).click()
    await form.getByText(/^More:/).click()
  }
  const add = async (name, model, key) => {
    await begin()
    await page.getByLabel('Name of the provider').fill(name)
    await page.getByLabel('Wire').selectOption('openai')
    await page.getByLabel('Model', { exact: true }).fill(model)
    await page.getByLabel('Address', { exact: true }).fill('http://127.0.0.1:9/v1')
    await page.getByLabel('Key', { exact: true }).fill(key)
    await form.getByRole('button', { name: 'Add and test' }).click()
    await page.getByRole('button', { name: `Remove ${name}` }).waitFor()
    await form.waitFor({ state: 'detached' })
  }
  await add('first', 'gpt-4o', 'sk-geheim-1234567890')
  await add('second', 'home-made', '')
  await total(2)
  await row('first').filter({ hasText: 'stored' }).filter({ hasText: /[\d.]+ in, [\d.]+ out/ }).filter({ hasText: 'default' }).waitFor()
  await row('second').filter({ hasText: 'not known' }).waitFor()
  await row('controllers').filter({ hasText: 'first/gpt-4o' }).waitFor()
  const asked = page.getByRole('form', { name: 'Which models are asked' })
  await asked.getByText('From chela.yaml').waitFor()
  await asked.getByLabel('Model of checkers').fill('second/home-made')
  await asked.getByLabel('Ask next when one cannot answer').selectOption('second/home-made')
  await asked.getByRole('button', { name: 'Save' }).click()
  await row('checkers').filter({ hasText: 'second/home-made' }).waitFor()
  await asked.getByText('Chosen here').waitFor()
  await page.getByText('The call fails.').waitFor({ state: 'detached' })
  await asked.getByRole('button', { name: 'Do not ask second/home-made' }).click()
  await asked.getByLabel('Model of checkers').fill('')
  await asked.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The call fails.').waitFor()
  await row('checkers').filter({ hasText: 'first/gpt-4o' }).waitFor()
  await asked.getByLabel('Model of transcripts').fill('second/whisper-1')
  await asked.getByRole('button', { name: 'Save' }).click()
  await row('voice notes').filter({ hasText: 'second/whisper-1' }).waitFor()
  await page.route('**/api/models', async (r) => { // a model that cools down, which takes a chela.yaml with failover
    const res = await r.fetch()
    const list = await res.json()
    list[0].cooling = [{ model: 'first/gpt-4o', reason: 'auth', error: 'first does not accept the key', until: '2030-01-01T12:00:00Z' }]
    await r.fulfill({ response: res, json: list })
  })
  await page.reload()
  await row('first').filter({ hasText: 'first/gpt-4o is paused until' }).filter({ hasText: 'first does not accept the key' }).waitFor()
  await looks('models')
  await page.unroute('**/api/models')
  assert.ok(!(await page.content()).includes('geheim'))
  assert.ok(!JSON.stringify(await call('GET', '/api/models')).includes('geheim'))
  await page.getByText('2 models', { exact: true }).waitFor()

  await begin()
  await page.getByLabel('Name of the provider').fill('a/b')
  await page.getByLabel('Model', { exact: true }).fill('m')
  await form.getByRole('button', { name: 'Add and test' }).click()
  await page.getByRole('alert').filter({ hasText: 'without blanks and slashes' }).waitFor()
  assert.equal(await page.getByLabel('Name of the provider').inputValue(), 'a/b', 'what was refused is still there')
  assert.match(world.complaints.splice(0).join(), /^console: Failed to load resource.* 422 [^,]*$/, 'the browser tells of the refusal')

  page.once('dialog', (d) => d.accept())
  await page.getByRole('button', { name: 'Remove second' }).click()
  await total(1)
  await asked.getByText('The model second/whisper-1, which is to transcribe, cannot be asked').waitFor()
  assert.equal((await call('GET', '/api/models'))[0].has_key, true, 'the key of the other one stays')
  await call('PUT', '/api/models', [])
  await page.getByText('No model is configured').waitFor() // by itself
})

test('no page complained or called elsewhere', () => {
  assert.deepEqual(world.complaints, [])
})
