// The first minutes with a new daemon, by the keyboard alone.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { shot, startWorld } from './world.mjs'

let world
let page

before(async () => {
  world = await startWorld()
  page = world.page
})

after(() => world?.stop())

const focused = (name) => page.waitForFunction((n) => {
  const e = document.activeElement
  return e && (e.getAttribute('aria-label') === n || e.textContent.startsWith(n))
}, name)

test('who has no project is led from nothing to tickets with their words', async () => {
  await page.goto(world.daemon.login)
  await page.locator('main h2').filter({ hasText: 'Start' }).waitFor()
  await focused('Go on without a model')
  await shot(page, '80-start')
  await page.keyboard.press('Tab')
  await focused('Add a model')
  await page.keyboard.press('Enter')
  await page.getByRole('form', { name: 'Provider' }).waitFor()
  await page.getByRole('button', { name: 'Go on without a model' }).press('Enter')
  await focused('What the project is called')
  await page.keyboard.type('Checkout')
  await page.keyboard.press('Enter')
  await focused('The first minutes')
  await page.keyboard.press('Escape') // out of the field, so that keys work
  await page.waitForFunction(() => document.activeElement?.tagName !== 'TEXTAREA')
  await page.keyboard.press('s')
  await focused('Import')
  await shot(page, '81-start-paste')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: '3 tickets' }).waitFor()
  await page.getByRole('heading', { name: '2 decisions' }).waitFor()
  await page.locator('blockquote').filter({ hasText: 'ACTION: Tom to reject a key that was used before by Friday' }).first().waitFor()
  await focused('Today')
  await shot(page, '82-start-done')
})

test('it leads on, to the run, the log and the views, and is not shown again by itself', async () => {
  await page.reload()
  await page.getByRole('heading', { name: '3 tickets' }).waitFor()
  const run = new URL(page.url()).searchParams.get('run')
  await page.getByRole('link', { name: 'The run' }).press('Enter')
  await page.getByRole('treeitem').filter({ hasText: 'extract' }).waitFor()
  assert.ok(page.url().includes(run))
  await page.keyboard.press('g')
  await page.keyboard.press('k')
  await page.waitForFunction(() => document.querySelector('[data-testid=total]')?.textContent === '3')
  await page.goto(world.at('/'))
  await page.getByLabel('Paste notes').waitFor()
})

test('no page complained or called elsewhere', () => assert.deepEqual(world.complaints, []))
