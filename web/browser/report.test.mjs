// The report to send upward: a page, on paper, and as Markdown, whose numbers lead to records.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { serious } from './axe.mjs'
import { shot, startDemo } from './world.mjs'

let world
let page
let project

const get = (path) => page.request.get(world.at(path)).then((r) => r.json())

before(async () => {
  world = await startDemo()
  page = world.page
  project = world.project
})

after(() => world?.stop())

const sheet = () => page.getByRole('article', { name: 'The report' })

test('it says what the daemon computes, and a number leads to as many records', async () => {
  await page.goto(world.at(`/today?project=${project}`))
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('P')
  await sheet().getByRole('heading', { name: 'Payments' }).waitFor()
  const r = await get(`/api/projects/${project}/report`)
  assert.ok(r.finished.length > 0 && r.late.length > 0 && r.milestones.length > 0, 'the demo has something in each part')
  for (const [name, all] of [['Finished', r.finished], ['Late', r.late], ['Milestones', r.milestones]]) {
    assert.equal(await sheet().getByRole('region', { name, exact: true }).getByRole('listitem').count(), all.length, name)
  }
  assert.deepEqual(await serious(page), [])
  await shot(page, '90-report')
  const told = r.numbers.filter((n) => n.query && n.unit !== 'USD' && n.value > 0)
  assert.ok(told.length > 3, 'most numbers open their records')
  for (const n of told) {
    await sheet().getByText(n.name, { exact: true }).first().locator('..').getByRole('link').click()
    await page.waitForFunction((value) => document.querySelector('[data-testid=total]')?.textContent === String(value), n.value)
    await page.goBack()
    await sheet().getByRole('heading', { name: 'Payments' }).waitFor()
  }
})

test('of a sprint it says the days of the sprint', async () => {
  await page.goto(world.at(`/report?project=${project}&sprint=Sprint%207`))
  await sheet().getByRole('heading', { name: 'Payments: Sprint 7' }).waitFor()
})

test('on paper there is nothing but its sheet, light, on A4', async () => {
  await page.evaluate(() => { document.documentElement.dataset.theme = 'terminal' })
  await page.emulateMedia({ media: 'print' })
  assert.equal(await page.locator('nav, header, footer, main button, main select').filter({ visible: true }).count(), 0)
  assert.equal(await sheet().evaluate((e) => getComputedStyle(e).backgroundColor), 'rgb(253, 253, 251)')
  const height = await sheet().evaluate((e) => e.scrollHeight)
  assert.ok(await page.evaluate((h) => document.documentElement.scrollHeight >= h, height), 'nothing of it is cut')
  await shot(page, '91-report-print')
  await page.emulateMedia({ media: null })
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
  const [, width, tall] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf) ?? []
  assert.deepEqual([Math.round(width), Math.round(tall)], [595, 842])
})

test('as Markdown it is saved by a key, with links to this page', async () => {
  await page.goto(world.at(`/report?project=${project}`))
  await sheet().waitFor()
  const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('m')])
  assert.match(file.suggestedFilename(), /^Payments \d{4}-\d\d-\d\d\.md$/)
  const text = readFileSync(await file.path(), 'utf8')
  assert.match(text, /^# Payments\n/)
  assert.ok(text.includes(`](${world.daemon.origin}/tickets?`) && text.includes(`](${world.daemon.origin}/records/`), text)
})

test('no page complained or called elsewhere', () => assert.deepEqual(world.complaints, []))
