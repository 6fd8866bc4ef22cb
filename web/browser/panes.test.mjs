// The window divided into panes: by keyboard, linked, in the address, on a phone.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { shot, startDesk } from './world.mjs'

let world
let page
const pane = (i) => page.locator('[data-pane]').nth(i)
const titles = () => page.locator('[data-pane] h2').allTextContents()

before(async () => {
  world = await startDesk({ files: ['minutes.md', 'tickets.csv'] })
  page = world.page
  await page.locator('main h2').first().click() // out of the field
})

after(() => world?.stop())

/** go goes to a view by its key in the pane that has the focus. */
async function go(key, name) {
  await page.keyboard.press('g')
  await page.keyboard.press(key)
  await page.locator('[aria-current=true][data-pane] h2, [data-pane]:only-child h2').filter({ hasText: name }).first().waitFor()
}

test('the keyboard divides, moves, resizes, closes', async () => {
  await page.keyboard.press('g')
  await page.keyboard.press('k')
  await page.locator('h2').filter({ hasText: 'Tickets' }).waitFor()
  await page.keyboard.press('\\')
  await go('p', 'People')
  await page.keyboard.press('|')
  await go('y', 'Today')
  assert.deepEqual((await titles()).map((t) => t.split(' ')[0]), ['Tickets', 'People', 'Today'])
  await page.keyboard.press('[')
  await page.waitForFunction(() => document.title === 'People · Chela')
  const height = async () => (await pane(1).boundingBox()).height
  const before = await height()
  await page.keyboard.press('}')
  await page.waitForFunction((h) => document.querySelectorAll('[data-pane]')[1].getBoundingClientRect().height > h + 20, before)
  const border = page.getByRole('separator', { name: 'Border between panes' }).first()
  await border.focus()
  await page.keyboard.press('ArrowRight')
  const now = await border.getAttribute('aria-valuenow')
  await page.waitForURL((u) => u.searchParams.get('panes')?.startsWith(`r${now}(`))
  await shot(page, '60-panes')
  await page.keyboard.press('Alt+x')
  await page.waitForFunction(() => document.querySelectorAll('[data-pane]').length === 2)
  assert.deepEqual((await titles()).map((t) => t.split(' ')[0]), ['Tickets', 'Today'])
  await page.goBack()
  await page.waitForFunction(() => document.querySelectorAll('[data-pane]').length === 3)
  await page.reload()
  await page.waitForFunction(() => document.querySelectorAll('[data-pane] h2').length === 3)
  assert.deepEqual((await titles()).map((t) => t.split(' ')[0]), ['Tickets', 'People', 'Today'])
})

test('a border is dragged, and a double click puts it in the middle', async () => {
  const border = page.getByRole('separator', { name: 'Border between panes' }).first()
  const box = await border.boundingBox()
  await page.mouse.move(box.x + 2, box.y + 100)
  await page.mouse.down()
  await page.mouse.move(box.x - 150, box.y + 100, { steps: 4 })
  await page.mouse.up()
  const share = Number(await border.getAttribute('aria-valuenow'))
  assert.ok(share < 50, `${share}`)
  const wrote = await page.evaluateHandle(() => {
    const wrote = [performance.now()]
    const write = history.replaceState.bind(history)
    history.replaceState = (...with_) => { wrote.push(performance.now()); write(...with_) }
    return wrote
  })
  await page.mouse.move(box.x - 150, box.y + 100)
  await page.mouse.down()
  await page.mouse.move(box.x - 20, box.y + 100, { steps: 120 }) // browsers refuse more than 200 changes of the address in 30 s
  await page.mouse.up()
  await page.waitForFunction(() => new URLSearchParams(location.search).get('panes').startsWith(`r${document.querySelector('[role=separator]').getAttribute('aria-valuenow')}(`))
  const times = await wrote.jsonValue()
  assert.ok(times.length > 1 && times.length <= 22 + (times.at(-1) - times[0]) / 200, `${times.length} in ${times.at(-1) - times[0]} ms`)
  assert.ok(Number(await border.getAttribute('aria-valuenow')) > share)
  await border.dblclick()
  assert.equal(await border.getAttribute('aria-valuenow'), '50')
})

test('what is chosen in one pane is followed by those that are linked', async () => {
  await page.goto(world.at('/tickets?panes=r50(.,.)&p1=/records/none&link=0.1'))
  const rows = pane(0).locator('tbody tr')
  await rows.first().waitFor()
  await rows.nth(2).locator('td').nth(2).click()
  const title = await rows.nth(2).locator('a').first().textContent()
  await pane(1).getByText(title, { exact: true }).first().waitFor()
  await page.keyboard.press('j')
  const next = await rows.nth(3).locator('a').first().textContent()
  await pane(1).getByText(next, { exact: true }).first().waitFor()
  assert.notEqual(title, next)
  await page.keyboard.press('Alt+l') // let the tickets go their own way
  await page.keyboard.press('j')
  const third = await rows.nth(4).locator('a').first().textContent()
  await pane(0).locator('tr[aria-current=true]').filter({ hasText: third }).waitFor()
  await page.evaluate(() => new Promise((done) => setTimeout(done, 400))) // longer than linked panes wait
  assert.ok(await pane(1).getByText(next, { exact: true }).first().isVisible())
  assert.equal(await pane(1).getByText(third, { exact: true }).count(), 0)
})

test('in half of the window the long texts of a table stand below their rows, and nothing is cut', async () => {
  for (const view of ['people', 'memory']) {
    await page.goto(world.at(`/${view}?panes=r50(.,.)&p1=/tickets`))
    await pane(0).locator('tbody tr td.below').first().waitFor()
    const [text, row, inner, outer] = await pane(0).locator('.pane').evaluate((p) => {
      const below = p.querySelector('td.below')
      return [below.offsetWidth, below.closest('tr').offsetWidth, p.scrollWidth, p.clientWidth]
    })
    assert.ok(text > row * 0.9 && inner <= outer, `${view}: the text has ${text} of ${row} px, and ${inner} px are shown in ${outer}`)
  }
})

test('a search in the command line is shown beside with Shift', async () => {
  await page.goto(world.at('/tickets'))
  await page.locator('tbody tr').first().waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('CAP')
  await page.keyboard.press('Shift+Enter')
  await page.waitForFunction(() => document.querySelectorAll('[data-pane] h2').length === 2)
  assert.deepEqual((await titles()).map((t) => t.split(' ')[0]), ['Tickets', 'People'])
})

test('keys go to the pane that has the focus', async () => {
  await page.goto(world.at('/tickets?panes=r50(.,.)&p1=/tickets&at=1'))
  await pane(1).locator('tbody tr').nth(1).waitFor()
  await pane(0).locator('tbody tr').nth(1).waitFor()
  await page.keyboard.press('j')
  await pane(1).locator('tbody tr').nth(1).and(page.locator('[aria-current=true]')).waitFor()
  assert.equal(await pane(0).locator('tbody tr').nth(0).getAttribute('aria-current'), 'true', 'the other pane stays where it was')
})

test('a phone shows one pane at a time, and leads to the others', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(world.at('/tickets?panes=r50(.,.)&p1=/people'))
  await page.locator('[data-pane]:visible h2').filter({ hasText: 'Tickets' }).waitFor()
  assert.equal(await page.locator('[data-pane]:visible').count(), 1)
  await page.getByRole('button', { name: 'CAP', exact: true }).click()
  await page.locator('[data-pane]:visible h2').filter({ hasText: 'People' }).waitFor()
  await page.getByRole('button', { name: 'Chela' }).click()
  await shot(page, '61-phone-views')
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: /^Runs/ }).click()
  await page.locator('[data-pane]:visible h2').filter({ hasText: 'Runs' }).waitFor()
  assert.equal(await page.getByRole('navigation', { name: 'Views' }).count(), 0)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Approvals/ }).click()
  await page.locator('[data-pane]:visible h2').filter({ hasText: 'Approvals' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Divide beside' }).count(), 0, 'there is no room for panes')
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('a layout is kept under a name, opened again, and removed, in every tab', async () => {
  await page.goto(world.at('/tickets?panes=r50(.,.)&p1=/people&link=0.1'))
  await pane(1).locator('h2').filter({ hasText: 'People' }).waitFor()
  const kept = page.url()
  const elsewhere = await world.context.newPage() // open before anything is kept: what comes, comes by the log
  await elsewhere.goto(world.at('/log'))
  await elsewhere.getByRole('button', { name: 'Layouts' }).click()
  await elsewhere.getByRole('button', { name: 'Morning' }).waitFor()
  const own = (of) => of.getByRole('button', { name: 'Staff and tickets', exact: true })
  assert.equal(await own(elsewhere).count(), 0)
  await page.keyboard.press('Alt+s')
  await page.getByLabel('Name of the layout').fill('Staff and tickets')
  await page.keyboard.press('Enter')
  await own(page).waitFor()
  await shot(page, '62-layouts')
  await own(elsewhere).click()
  await elsewhere.locator('[data-pane]').nth(1).locator('h2').filter({ hasText: 'People' }).waitFor()
  assert.equal(decodeURIComponent(elsewhere.url()), decodeURIComponent(kept))
  await elsewhere.keyboard.press('Alt+s')
  await elsewhere.getByRole('button', { name: 'Remove Staff and tickets' }).click()
  await own(elsewhere).waitFor({ state: 'detached' })
  await own(page).waitFor({ state: 'detached' })
  await elsewhere.close()
  await page.getByRole('button', { name: 'Morning' }).click()
  await page.waitForFunction(() => document.querySelectorAll('[data-pane] h2').length === 3)
})

test('no page complained or called elsewhere', () => {
  assert.deepEqual(world.complaints.filter((c) => !c.includes('404')), [])
})
