// Nothing of a view moves after it was first painted, on the demo: what comes later has its room.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startDemo, views } from './world.mjs'

/** most is the layout shift that nobody sees: a thousandth of the window. */
const most = 0
let world
let page
let project

before(async () => {
  world = await startDemo()
  page = world.page
  project = world.project
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.addInitScript(() => {
    globalThis.shifts = []
    new PerformanceObserver((l) => {
      for (const e of l.getEntries()) if (!e.hadRecentInput) globalThis.shifts.push({ by: e.value, of: e.sources.map((s) => s.node?.textContent?.slice(0, 40) ?? '') })
    }).observe({ type: 'layout-shift', buffered: true })
  })
})

after(() => world?.stop())

for (const view of views) {
  test(`nothing moves on ${view}`, async () => {
    await page.goto(world.at(`${view}?project=${project}`))
    await page.locator('main h2').first().waitFor()
    await page.waitForFunction(() => !document.querySelector('main')?.textContent.includes('Loading…'))
    await page.getByText('live', { exact: true }).waitFor()
    await page.waitForTimeout(300) // what comes later has come
    const shifts = await page.evaluate(() => globalThis.shifts)
    const sum = shifts.reduce((n, s) => n + s.by, 0)
    assert.ok(sum <= most, `${sum.toFixed(4)} moved: ${JSON.stringify(shifts)}`)
  })
}
