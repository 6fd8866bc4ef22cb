// What holds on every view: the keyboard, names and focus, both widths, the project, live tabs.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, test } from 'node:test'
import { demo, goTo, makeProject, shot, startWorld, takenIn } from './world.mjs'

const views = ['/today', '/', '/threads', '/tickets', '/people', '/objectives', '/sprint', '/plan', '/checklists', '/reminders', '/links', '/ideas', '/deltas', '/blindspots', '/ask', '/project', '/chat', '/runs', '/schedules', '/memory', '/agents', '/start', '/models', '/users', '/budgets', '/vault', '/hooks', '/policy', '/log']
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
  await page.goto(world.at('/nowhere'))
  await page.getByText('Nothing is at this address').waitFor()
})

test('a project stays chosen wherever one goes', async () => {
  await page.goto(world.at('/'))
  await makeProject(page, 'Empty')
  await makeProject(page, 'Payments')
  payments = await page.getByLabel('Project', { exact: true }).inputValue()
  await page.getByLabel('Files').setInputFiles([demo('minutes.md'), demo('tickets.csv')])
  await page.getByRole('button', { name: 'Take in' }).click()
  await takenIn(page, 1)
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
})

test('the keyboard goes everywhere', async () => {
  await goTo(page, 'Intake')
  const keys = { y: 'Today', t: 'Threads', k: 'Tickets', p: 'People', o: 'Objectives', S: 'Sprint', m: 'Plan', C: 'Checklists', R: 'Reminders', L: 'Links', I: 'Ideas', d: 'Reconcile', b: 'Blindspots', a: 'Ask', c: 'Chat', j: 'Project', r: 'Runs', e: 'Memory', g: 'Agents', q: 'Models', u: 'Users', f: 'Budgets', x: 'Vault', z: 'Hooks', w: 'Policy', l: 'Log', i: 'Intake' }
  for (const [key, name] of Object.entries(keys)) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await page.locator('main h2').filter({ hasText: name }).waitFor()
    await page.waitForFunction((want) => document.title === `${want} · Chela`, name)
  }
  await page.getByLabel('Paste notes').pressSequentially('gt?')
  assert.equal(await page.getByLabel('Paste notes').inputValue(), 'gt?', 'the keys go into a field')
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
  assert.equal(await page.getByTestId('answer').count(), 0, 'a link that is opened asks nothing')
  await give('PROJ Empty')
  await page.waitForFunction(() => document.querySelector('select[aria-label=Project]')?.selectedOptions[0]?.text === 'Empty')
  await page.getByLabel('Project', { exact: true }).selectOption('Payments')
})

test('the look and the size of the letters stay chosen', async () => {
  const look = () => page.evaluate(() => [document.documentElement.dataset.theme, getComputedStyle(document.documentElement).fontSize])
  await open('/today')
  assert.deepEqual(await look(), ['terminal', '13px'])
  for (const key of ['T', '+', '+']) await page.keyboard.press(key)
  assert.deepEqual(await look(), ['light', '15px'])
  await page.reload()
  assert.deepEqual(await look(), ['light', '15px'])
  for (const key of ['T', '0']) await page.keyboard.press(key)
  assert.deepEqual(await look(), ['contrast', '13px'])
  await page.keyboard.press('T')
  assert.deepEqual(await look(), ['terminal', '13px'])
})

test('today shows what needs somebody', async () => {
  await open('/today')
  const late = page.getByRole('article', { name: 'Overdue' })
  await late.getByText('Split the card handler').waitFor()
  await late.getByRole('link', { name: 'Overdue' }).click()
  await page.waitForFunction(() => document.querySelector('[data-testid=total]')?.textContent === '5')
})

test('every field has a name, and the focus can be seen', async () => {
  for (const path of views) {
    await open(path)
    const nameless = await page.evaluate(() => [...document.querySelectorAll('input, textarea, select, button, a')].filter((e) => !e.getAttribute('aria-label') && !e.closest('label') && !e.textContent.trim()).length)
    assert.equal(nameless, 0, `${path} has controls without a name`)
    const fields = await page.locator('main').locator('input, textarea, select').and(page.locator(':not([tabindex="-1"])')).count() // a row's mark has a key
    const reached = new Set()
    if (path !== views[0]) await page.locator('main').evaluate((m) => { // the frame is the same on each
      m.tabIndex = -1
      m.focus()
    })
    for (let i = 0; i < 100; i++) {
      await page.keyboard.press('Tab')
      const at = await page.evaluate(() => {
        const e = document.activeElement
        if (!e || e === document.body) return undefined
        const seen = [e, e.closest('label')].some((x) => x && getComputedStyle(x).outlineStyle !== 'none' && Number.parseFloat(getComputedStyle(x).outlineWidth) >= 1)
        const field = e.matches('main input, main textarea, main select')
        return { seen, inside: Boolean(e.closest('main')), what: e.outerHTML.slice(0, 80), field: field ? e.getAttribute('aria-label') : undefined }
      })
      if (!at || (path !== views[0] && !at.inside)) break
      assert.ok(at.seen, `${path}: the focus cannot be seen on ${at.what}`)
      if (at.field) reached.add(at.field)
    }
    assert.equal(reached.size, fields, `${path}: the Tab key reaches ${[...reached]}`)
  }
})

test('nothing scrolls sideways, wide or narrow', async () => {
  await page.goto(world.at(`/tickets?project=${payments}`))
  const record = await page.locator('tbody a').first().getAttribute('href')
  await page.goto(world.at('/runs'))
  const run = await page.locator('tbody a').first().getAttribute('href')
  for (const [width, height] of [[1280, 800], [390, 844]]) {
    await page.setViewportSize({ width, height })
    for (const path of [...views, record, run]) {
      await open(path)
      await page.evaluate(() => {
        for (const d of [...document.querySelectorAll('main details')].slice(0, 3)) d.open = true
      })
      const wide = await page.evaluate(() => {
        const scrolls = (e) => e === document.documentElement || /auto|scroll|hidden/.test(getComputedStyle(e).overflowX)
        const over = [...document.querySelectorAll('*')].filter((e) => scrolls(e) && getComputedStyle(e).textOverflow !== 'ellipsis' && !e.matches('input, select, option') && e.clientWidth > 1 && e.scrollWidth > e.clientWidth + 1)
        return over.map((e) => `${e.tagName.toLowerCase()} by ${e.scrollWidth - e.clientWidth} px`)
      })
      assert.deepEqual(wide, [], `${path} is too wide at ${width}`)
      const room = await page.locator('main').evaluate((m) => m.clientHeight)
      assert.ok(room > height / 2, `${path} leaves ${room} px of ${height} at ${width}`)
      const picker = await page.getByLabel('Project', { exact: true }).evaluate((s) => s.clientWidth)
      assert.ok(picker > 100, `the project's name has ${picker} px at ${width}`)
      await shot(page, `30-${width}${path.split('?')[0].replace(/_.*/, '').replaceAll('/', '-')}`)
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('axe finds nothing serious on any view, in any look', async () => {
  const program = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  const found = []
  for (const theme of ['terminal', 'light', 'contrast']) {
    await page.evaluate((t) => localStorage.setItem('chela-theme', t), theme)
    for (const path of views) {
      await open(path)
      await page.evaluate(program)
      const { violations } = await page.evaluate((only) => globalThis.axe.run(document, { resultTypes: ['violations'], ...(only ? { runOnly: ['color-contrast'] } : {}) }), theme !== 'terminal') // a look changes nothing but colors
      for (const v of violations.filter((x) => ['serious', 'critical'].includes(x.impact))) found.push(`${theme} ${path}: ${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120)).join(' | ')}`)
    }
  }
  await page.evaluate(() => localStorage.removeItem('chela-theme'))
  assert.deepEqual(found, [])
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

test('no page complained or called elsewhere', () => {
  assert.deepEqual(world.complaints, [])
})
