// Workflows and their instances on the canvas: by keys and by the mouse, live, and as they were.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { serious } from './axe.mjs'
import { shot, startWorld } from './world.mjs'

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

test('no page complained or called elsewhere', () => assert.deepEqual(world.complaints, []))
