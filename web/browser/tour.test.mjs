// The tour of the demo: it begins by itself, is played by keys at the real places, is left, remembered and begun again.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { serious } from './axe.mjs'
import { shot, startWorld } from './world.mjs'

let world
let page

before(async () => {
  world = await startWorld({}, ['demo'])
  page = world.page
  await page.goto(world.daemon.login)
})

after(() => world?.stop())

const tour = () => page.getByRole('complementary', { name: 'Tour' })
const step = (n, name) => tour().getByText(`step ${n} of 5`).and(tour().locator('span')).waitFor().then(() => tour().getByText(name, { exact: true }).waitFor())
/** keeps waits until the daemon has kept a step; a move before it has to be kept already. */
const keeps = (n) => page.waitForResponse((answer) => answer.url().endsWith('/api/me/tour') && answer.request().postDataJSON().step === n)
const done = () => tour().getByText('done', { exact: true }).waitFor()
/** pointsAt waits until the ring of the tour lies around an element. */
const pointsAt = async (target) => {
  await target.waitFor()
  for (let tries = 0; ; tries++) {
    const ring = await page.getByTestId('tour-target').boundingBox().catch(() => null)
    const box = await target.boundingBox()
    if (ring && box && Math.abs(ring.x + 4 - box.x) < 2 && Math.abs(ring.y + 4 - box.y) < 2) return
    assert.ok(tries < 100, `the ring is at ${JSON.stringify(ring)}, the target at ${JSON.stringify(box)}`)
    await page.waitForTimeout(50)
  }
}

test('it begins with the demo, and its five steps are done by keys at the real places', async () => {
  await step(1, 'Paste notes')
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  await pointsAt(page.getByRole('navigation').getByRole('link', { name: /^Intake/ }))
  await shot(page, '69-tour-begins')
  await page.keyboard.press('Alt+g')
  await pointsAt(page.getByLabel('Paste notes'))
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Paste notes')
  assert.deepEqual(await serious(page), [])
  await shot(page, '70-tour-paste')
  await page.keyboard.press('Alt+m')
  await page.waitForFunction(() => document.querySelector('textarea')?.value.startsWith('# Payments weekly'))
  await page.keyboard.press('Control+Enter')
  await done()
  await page.keyboard.press('Alt+n')

  await step(2, 'See the evidence')
  await pointsAt(page.locator('.pane [aria-current="true"]').first())
  await page.keyboard.press('Enter')
  await done()
  await pointsAt(page.locator('.pane blockquote').first())
  await shot(page, '71-tour-evidence')
  await page.keyboard.press('Alt+n')

  await step(3, 'Ask')
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Question')
  await page.keyboard.press('Enter')
  await done()
  await pointsAt(page.getByTestId('answer'))
  await shot(page, '72-tour-ask')
  await page.keyboard.press('Alt+n')

  await step(4, 'Approve')
  await pointsAt(page.locator('.pane [aria-current="true"]').first())
  await shot(page, '73-tour-approve')
  await page.keyboard.press('a')
  await done()
  await page.keyboard.press('Alt+n')

  await step(5, 'Go back in time')
  await pointsAt(page.getByRole('button', { name: /^As of now/ }))
  await page.keyboard.press('@')
  await page.getByRole('dialog', { name: 'Range' }).waitFor()
  await page.keyboard.press('w')
  await page.getByTestId('past').waitFor()
  await done()
  await shot(page, '74-tour-past')
  const left = page.waitForResponse((answer) => answer.url().endsWith('/api/me/tour') && answer.request().postDataJSON().over)
  await page.keyboard.press('Alt+n')
  await tour().waitFor({ state: 'detached' })
  await left
})

test('it stays away once it is over, and is begun again from the command line', async () => {
  await page.goto(world.at('/today'))
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  assert.equal(await tour().count(), 0)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('tour')
  let kept = keeps(1)
  await page.keyboard.press('Enter')
  await step(1, 'Paste notes')
  await kept
  kept = keeps(2)
  await page.keyboard.press('Alt+n')
  await step(2, 'See the evidence')
  await kept
  kept = keeps(1)
  await page.keyboard.press('Alt+b')
  await step(1, 'Paste notes')
  await kept
})

test('it goes on after a reload where it was, is left at any step, and is begun again from the help', async () => {
  const kept = keeps(2)
  await page.keyboard.press('Alt+n')
  await step(2, 'See the evidence')
  await kept
  await page.reload()
  await step(2, 'See the evidence')
  const left = page.waitForResponse((answer) => answer.url().endsWith('/api/me/tour') && answer.request().postDataJSON().over)
  await page.keyboard.press('Alt+q')
  await tour().waitFor({ state: 'detached' })
  await left
  await page.reload()
  await page.getByText('live', { exact: true }).waitFor()
  assert.equal(await tour().count(), 0)
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).getByRole('button', { name: /^Begin the tour/ }).press('Enter')
  await step(1, 'Paste notes')
})

test('no page complained or called elsewhere', () => {
  assert.deepEqual(world.complaints, [])
})
