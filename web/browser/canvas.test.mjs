// Workflows and their instances on the canvas: by keys and by the mouse, live, and as they were.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { serious } from './axe.mjs'
import { goTo, makeProject, shot, startWorld } from './world.mjs'

const source = `slug: ship
name: Ship it
steps:
  - {id: plan, title: Plan it, transform: {parts: [1, 2, 3]}}
  - id: each
    title: Do each part
    map:
      over: plan.parts
      do:
        - {id: half, transform: {n: "\${item}"}}
        - id: proven
          transform: {text: "Part \${half.n}"}
          contract: [{name: it says which, holds: size(result.text) > 3}]
  - id: ask
    title: Ask
    wait: {person: {ask: "Shall it ship?"}}
  - id: gate
    branch: [{case: go, when: ask.choice == "approve"}, {case: hold}]
  - {id: shipped, title: Ship, needs: [gate.go], transform: 1}
  - {id: held, title: Hold, needs: [gate.hold], transform: 2}
`
let world
let page
let run

const post = async (path, data) => {
  const res = await page.request.post(world.at(path), { data, headers: { Origin: world.daemon.origin } })
  assert.ok(res.ok(), await res.text())
  return res.json()
}
/** node is a step on the canvas, by its title and what else it says. */
const node = (title, ...says) => says.reduce((of, text) => of.filter({ hasText: text }), page.locator('.react-flow__node').filter({ has: page.getByText(title, { exact: true }) }))
const chosen = () => page.evaluate(() => document.activeElement?.getAttribute('data-id'))
const press = async (...keys) => {
  for (const key of keys) await page.keyboard.press(key)
}

before(async () => {
  world = await startWorld()
  page = world.page
  await page.addInitScript(() => {
    globalThis.shifts = []
    new PerformanceObserver((l) => {
      for (const e of l.getEntries()) if (!e.hadRecentInput) globalThis.shifts.push(e.value)
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await page.goto(world.daemon.login)
  await page.getByText('Make a project first').waitFor()
  await post('/api/workflows', { source })
  await post('/api/workflows/ship/deploy', {})
})

after(() => world?.stop())

test('the first script has nothing of the canvas, and is at most 200 kB', async () => {
  const asked = []
  page.on('response', (r) => asked.push(r.url()))
  await page.goto(world.at('/workflows'))
  await page.getByRole('link', { name: 'Ship it' }).waitFor()
  const first = (await (await page.request.get(world.at('/workflows'))).text()).match(/\/assets\/[^"]*\.js/g)
  const sizes = await Promise.all(first.map(async (at) => gzipSync(await (await page.request.get(world.at(at))).body()).length))
  assert.ok(sizes.reduce((a, b) => a + b) <= 200_000, `${first} have ${sizes} bytes`)
  assert.equal(asked.filter((at) => at.includes('Canvas')).length, 0)
})

test('by keys: along the edges, into a map and out, and to the line of the file', async () => {
  await page.getByRole('link', { name: 'Ship it' }).click()
  await node('Plan it').waitFor()
  await page.getByLabel('Version').selectOption('1')
  await page.getByText('saved').waitFor()
  await node('Plan it').waitFor()
  await press('Home')
  assert.equal(await chosen(), 'plan')
  await press('ArrowRight', 'ArrowDown', 'ArrowRight')
  assert.equal(await chosen(), 'each.proven')
  await press('ArrowLeft', 'ArrowLeft', 'ArrowRight', 'ArrowRight')
  assert.equal(await chosen(), 'gate')
  await press('ArrowRight')
  assert.ok(['shipped', 'held'].includes(await chosen()))
  await press('ArrowLeft', 'Enter')
  await page.locator('code[aria-current=true]').filter({ hasText: 'id: gate' }).waitFor()
  assert.deepEqual(await serious(page), [])
  await shot(page, '90-workflow')
  await press('Escape')
  await page.getByLabel('The file').waitFor({ state: 'detached' })
  await press('Escape')
  await page.locator('main h2').filter({ hasText: 'Workflows' }).waitFor()
})

test('an instance is live: where its steps stand, what was found, what is asked', async () => {
  await page.goto(world.at('/workflows'))
  run = (await post('/api/workflows/ship/run', {})).runId
  await page.getByRole('link', { name: 'Ship it, version 1' }).click()
  await node('Ask', 'Waiting').waitFor()
  await node('proven', 'Done: 3 of 3', '3 of 3 met').waitFor()
  await press('p') // one that waits is paused, too
  await page.getByText('Somebody paused it. Until then: Shall it ship?').waitFor()
  await page.getByRole('button', { name: 'Resume' }).waitFor()
  await shot(page, '91-instance-paused')
  await press('p')
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  await node('Ask', 'Waiting').click()
  const step = page.getByLabel('Step ask')
  await step.getByText('Shall it ship?').first().waitFor()
  assert.deepEqual(await serious(page), [])
  await shot(page, '91-instance')
  await step.getByRole('button', { name: 'approve' }).click()
  await node('Ship', 'Done').waitFor()
  await node('Hold', 'Skipped').waitFor()
  await page.locator('main h2 + span').filter({ hasText: 'Done' }).waitFor()
  await press('Escape')
  await step.waitFor({ state: 'detached' })
  assert.equal(await chosen(), 'ask')
})

test('an instance is shown as it was, change by change, and an address says the moment', async () => {
  for (let i = 0; i < 6; i++) await press(',')
  await page.waitForFunction(() => /asOf=%23\d+/.test(location.search))
  const { items } = await (await page.request.get(world.at(`/api/instances/${run}/changes`))).json()
  const early = items.findIndex((c) => c.path === 'ask' && c.state === 'waiting')
  await page.goto(world.at(`/instances/${run}?asOf=%23${items[early].seq}`))
  await node('Ask', 'Waiting').waitFor()
  assert.equal(await node('Ship', 'Done').count(), 0)
  await page.getByText(`${early + 1} of ${items.length}:`).waitFor()
  const scrub = page.getByLabel('Moment of the instance')
  await scrub.focus()
  await press('Home')
  await node('Plan it').waitFor()
  assert.equal(await page.locator('.react-flow__node').filter({ hasText: 'Done' }).count(), 0)
  await press('Escape', ';')
  await node('Ship', 'Done').waitFor()
  const moved = await page.evaluate(() => globalThis.shifts.reduce((a, b) => a + b, 0))
  assert.ok(moved <= 0.001, `${moved} moved`)
})

test('on a phone it leads down, and nothing scrolls sideways', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(world.at(`/instances/${run}`))
  await node('Plan it').waitFor()
  const at = async (name) => (await node(name).boundingBox()).y
  assert.ok((await at('Ask')) > (await at('Plan it')))
  await node('Ask').click()
  await page.getByLabel('Step ask').waitFor()
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.querySelector('[data-testid=pane]').scrollWidth <= innerWidth))
  await shot(page, '92-instance-phone')
  await page.setViewportSize({ width: 1280, height: 800 })
})

/** draft is the draft as the daemon has it. */
const draft = async () => (await page.request.get(world.at('/api/workflows/ship/draft'))).json()
/** settled waits until the draft is as it should be. */
const settled = async (fits, what) => {
  for (let i = 0; i < 100; i++) {
    const d = await draft()
    if (fits(d)) return d
    await page.waitForTimeout(50)
  }
  return assert.fail(`${what}: ${(await draft()).source}`)
}

test('by keys a step is made, named, filled in, connected, copied, deleted, and all of it undone', async () => {
  await page.goto(world.at('/workflows/ship'))
  await node('Plan it').waitFor()
  await press('Home', 'n')
  await page.keyboard.type('agen')
  await press('Enter')
  const form = page.getByLabel('Step agent_step')
  await form.getByLabel('Task of agent.task').fill('Look at it.')
  await press('Control+Enter')
  await form.getByLabel('Name of agent.name').fill('pm')
  await press('Enter')
  await form.getByLabel('Id', { exact: false }).first().fill('look')
  await press('Enter')
  await settled((d) => /- id: look\n {4}needs: \[plan\]\n {4}agent:\n {6}(name: pm\n {6})?task: Look at it/.test(d.source), 'named and filled in')
  const named = page.getByLabel('Step look')
  await named.waitFor()
  assert.deepEqual(await serious(page), [])
  await shot(page, '93-draft')
  await press('Escape')
  await named.waitFor({ state: 'detached' })
  await press('c')
  await page.getByRole('combobox', { name: 'What follows look' }).fill('Ask')
  await press('Enter')
  await settled((d) => d.graph.edges.some((e) => e.from === 'look' && e.to === 'ask' && !e.outcome), 'connected')
  await press('Control+c', 'Control+v')
  await settled((d) => d.source.includes('- id: look_2\n'), 'copied')
  await page.getByLabel('Step look_2').waitFor()
  await press('Escape', 'Delete')
  await settled((d) => !d.source.includes('look_2'), 'deleted')
  const drawn = async () => page.getByText(`revision ${(await draft()).revision},`).waitFor()
  await drawn()
  await press('u')
  await settled((d) => d.source.includes('look_2'), 'the deleted one is back')
  await drawn()
  await press('r')
  await settled((d) => !d.source.includes('look_2'), 'deleted again')
  for (let i = 0; i < 12; i++) {
    if (!(await draft()).undo) break
    const { revision } = await draft()
    await drawn()
    await press('u')
    await settled((d) => d.revision > revision, 'undone')
  }
  assert.equal((await draft()).source, source)
})

test('by the mouse a step is moved and connected; what is wrong shows at the step and its field', async () => {
  await press('f')
  await page.waitForTimeout(400)
  const box = async (of) => {
    const b = await of.boundingBox()
    return { x: b.x + b.width / 2, y: b.y + b.height / 2 }
  }
  const dragged = async (from, to) => {
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 4 })
    await page.mouse.move(to.x, to.y, { steps: 4 })
    await page.mouse.up()
  }
  const at = await box(node('Plan it'))
  await dragged(at, { x: at.x, y: at.y - 80 })
  await settled((d) => d.layout.plan !== undefined, 'moved')
  await page.waitForTimeout(300) // until it is drawn there
  const handle = (path, kind) => page.locator(`[data-id="${path}"] > div > .react-flow__handle.${kind}`).first()
  await dragged(await box(handle('shipped', 'source')), await box(handle('held', 'target')))
  await settled((d) => d.graph.edges.some((e) => e.from === 'shipped' && e.to === 'held'), 'connected')
  const line = page.locator('.grip').filter({ has: page.getByText('shipped leads to held') })
  const middle = await line.evaluate((el) => {
    const at = el.getPointAtLength((el.getTotalLength() - 12) / 2).matrixTransform(el.getScreenCTM())
    return { x: at.x, y: at.y }
  })
  await page.mouse.click(middle.x, middle.y)
  await page.getByRole('combobox', { name: 'Which connection of shipped goes' }).waitFor()
  await press('Escape')
  await node('Ship', 'transform').click()
  await page.getByLabel('When of when').fill('nobody.knows')
  await press('Enter')
  await node('Ship', 'undeclared').waitFor()
  await page.getByLabel('Step shipped').getByRole('alert').filter({ hasText: 'undeclared' }).first().waitFor()
  assert.deepEqual(await serious(page), [])
  await shot(page, '94-finding')
  await page.getByLabel('When of when').fill('')
  await press('Enter')
  await page.getByText('nothing is wrong').waitFor()
  await press('Escape', 'Escape') // out of the field, and of the step
  await page.getByLabel('Step shipped').waitFor({ state: 'detached' })
})

test('what a workflow takes, what begins it and what it may cost is written in forms', async () => {
  await press('w')
  const cost = page.getByLabel('Usd of budget.usd')
  await cost.fill('2.5')
  await cost.press('Enter')
  await page.waitForFunction(async () => (await (await fetch('/api/workflows/ship/draft')).json()).source.includes('usd: 2.5'))
  await page.getByRole('button', { name: 'Add to triggers' }).waitFor()
  await shot(page, '95-about')
  await press('Escape', 'Escape', 'u')
  await page.waitForFunction(async () => !(await (await fetch('/api/workflows/ship/draft')).json()).source.includes('usd'))
  await page.getByText('nothing is wrong').waitFor()
})

test('the file and the canvas are one: what is typed is drawn, what others do is seen, comments stay', async () => {
  await press('y')
  const text = page.getByLabel('The text of the workflow')
  const now = await text.inputValue()
  await text.fill(now.replace('  - id: ask\n', '  # a person says so\n  - id: ask\n').replace('title: Ask', 'title: Ask somebody'))
  await node('Ask somebody').waitFor()
  const { revision } = await draft()
  await post('/api/workflows/ship/edits', { base: revision, operations: [{ op: 'update_property', node: 'plan', path: 'title', value: 'Plan together' }] })
  await node('Plan together').waitFor()
  await page.waitForFunction(() => document.querySelector('textarea').value.includes('Plan together'))
  assert.match(await text.inputValue(), /# a person says so\n {2}- id: ask\n {4}title: Ask somebody/)
  await text.fill(`${await text.inputValue()}nothing: [\n`)
  await page.getByRole('alert').filter({ hasText: /line \d+: / }).waitFor()
  await page.getByRole('button', { name: 'Drop what I typed' }).click()
  await shot(page, '95-file')
  await text.press('Escape')
})

test('the difference is shown, and a key deploys it', async () => {
  await press('D')
  const dialog = page.getByRole('dialog', { name: 'Deploy' }) // what was done is told in dialogs, too
  await dialog.getByText('# a person says so').waitFor()
  await press('Escape') // which leaves nothing
  await dialog.waitFor({ state: 'detached' })
  assert.equal((await draft()).version, 1)
  await press('D')
  await dialog.getByRole('button', { name: 'Save as a version and deploy' }).waitFor()
  await shot(page, '96-deploy')
  await press('Enter')
  await page.getByText('Version 2 of Ship it is deployed.').waitFor()
  await page.getByText('as version 2').waitFor()
})

test('a workflow begins on the page', async () => {
  await page.goto(world.at('/workflows'))
  await page.getByRole('link', { name: 'Ship it', exact: true }).waitFor()
  await press('n')
  await page.keyboard.type('Weekly Numbers')
  await press('Enter')
  await page.locator('main h2').filter({ hasText: 'Weekly Numbers' }).waitFor()
  await node('Say what happens first').waitFor()
  await page.getByText('nothing is wrong').waitFor()
})

test('a sentence becomes a workflow, which a message begins', async () => {
  await page.goto(world.at('/'))
  await makeProject(page, 'Papers')
  await goTo(page, 'Chat')
  const says = async (text, answer) => {
    await page.getByRole('combobox', { name: 'Message' }).fill(text)
    await press('Enter')
    await page.getByTestId('message').filter({ hasText: answer }).last().waitFor()
  }
  await says('Build a workflow called Paper trail that creates a ticket titled Collect the papers, then asks for approval.', 'build it')
  await says('build it', 'is built, as a draft')
  await says('deploy it', 'deployed as version 1')
  await says('Please do the Paper trail', 'I run Paper trail')
  await shot(page, '97-built-by-chat')
  await page.goto(world.at('/tickets'))
  await page.getByText('Collect the papers').waitFor()
  const waiting = (await (await page.request.get(world.at('/api/instances?workflow=paper-trail'))).json())[0]
  assert.equal(waiting.run.state, 'waiting')
  await page.goto(world.at('/approvals'))
  await page.getByText('Paper trail').first().waitFor()
})

test('no page complained or called elsewhere', () => assert.deepEqual(world.complaints.filter((c) => !/40[09]|422/.test(c)), [])) // of the text that is no YAML
