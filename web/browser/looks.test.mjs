// Every view, with records and without, in every look, wide and narrow: names, focus, overflow, contrast, pictures.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { serious } from './axe.mjs'
import { startDesign } from './design.mjs'
import { fill } from './filled.mjs'
import { makeProject, startDesk, takeIn, views } from './world.mjs'

const folder = process.env.CHELA_SHOTS
const looks = ['terminal', 'light', 'contrast']
let world
let page
let empty
let payments // the project with records
let all // views, and a record and a run

/** post makes something by the API. */
const post = async (path, data) => {
  const res = await page.request.post(world.at(path), { data, headers: { Origin: world.daemon.origin } })
  assert.ok(res.ok(), `${path}: ${await res.text()}`)
  return res.json()
}

before(async () => {
  world = await startDesk({ name: 'Empty' })
  page = world.page
  empty = world.project
  payments = await makeProject(page, 'Payments')
  await takeIn(page, ['minutes.md', 'tickets.csv'])
  await fill(post, payments)
  const tickets = await page.request.get(world.at(`/api/projects/${payments}/tickets?q=Retry`)).then((r) => r.json())
  const runs = await page.request.get(world.at('/api/runs')).then((r) => r.json())
  all = [...views, '/tickets?form=board', '/tickets?form=dependencies', `/records/${tickets.items[0].id}`, `/runs/${runs.at(-1).id}`, '/today?panes=r50(.,c50(.,.))&p1=/tickets&p2=/people&link=0.1.2']
})

/** index writes a page of all pictures. */
function index() {
  const shown = (look) => all.map((p) => `<figure><a href="${pictureOf(p, look)}.png"><img loading="lazy" width="420" src="${pictureOf(p, look)}.png" alt=""></a><figcaption>${p.replace(/&/g, '&amp;')}</figcaption></figure>`).join('\n')
  writeFileSync(join(folder, 'index.html'), `<!doctype html><meta charset="utf-8"><title>Views</title><style>body{font:14px sans-serif}section{display:flex;flex-wrap:wrap}</style>
<h1>The kit</h1><section>${looks.map((look) => `<a href="design-${look}.png"><img width="420" src="design-${look}.png" alt=""></a>`).join('\n')}</section>
${[...looks, 'phone'].map((look) => `<h1>${look}</h1><section>${shown(look)}</section>`).join('\n')}`)
}

after(async () => {
  await world?.stop()
  if (folder) index()
})

/** open opens a view and waits until it shows what it has. One view after another is shown without loading the page anew. */
async function open(path, project = payments) {
  const address = `${path}${path.includes('?') ? '&' : '?'}project=${project}`
  const { pathname } = new URL(page.url())
  const anew = !views.includes(path) || !views.includes(pathname) || pathname === path
  if (anew) await page.goto(world.at(address))
  else await page.evaluate((to) => {
    for (const h of document.querySelectorAll('main h2')) h.dataset.before = ''
    document.activeElement?.blur()
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, address)
  await page.locator('main h2:not([data-before])').first().waitFor()
  await page.waitForFunction(() => !document.querySelector('main')?.textContent.includes('Loading…'))
}

/** picture keeps a picture of the page, for the index page, when somebody wants to look. */
async function picture(path, look) {
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${pictureOf(path, look)}.png`) })
}
const pictureOf = (path, look) => `${look}${path.replace(/_[0-9a-z]{20,}/, '').replace(/[^a-z]+/g, '-').replace(/-$/, '') || '-intake'}`

/** nameless are the controls that nobody can call by a name. */
const nameless = () => page.evaluate(() => [...document.querySelectorAll('input, textarea, select, button, a')].filter((e) => !e.getAttribute('aria-label') && !e.closest('label') && !e.textContent.trim()).map((e) => e.outerHTML.slice(0, 120)))

/** tooWide are the elements whose content goes over their right edge. */
const tooWide = () => page.evaluate(() => {
  const scrolls = (e) => e === document.documentElement || /auto|scroll|hidden/.test(getComputedStyle(e).overflowX)
  const over = [...document.querySelectorAll('*')].filter((e) => scrolls(e) && getComputedStyle(e).textOverflow !== 'ellipsis' && !e.matches('input, select, option, .overflow-x-auto') && e.clientWidth > 1 && e.scrollWidth > e.clientWidth + 1)
  return over.map((e) => `${e.tagName.toLowerCase()}.${e.className} by ${e.scrollWidth - e.clientWidth} px`)
})

/** unfold opens some of what is folded. */
const unfold = () => page.evaluate(() => {
  for (const d of [...document.querySelectorAll('main details')].slice(0, 3)) d.open = true
})

/** tabThrough presses Tab until the view is left: the focus must be seen everywhere, and every field be reached. */
async function tabThrough(path, whole) {
  const reached = new Set()
  if (!whole) await page.locator('main').evaluate((m) => {
    m.tabIndex = -1
    m.focus()
  })
  for (let i = 0; i < 150; i++) {
    await page.keyboard.press('Tab')
    const at = await page.evaluate(() => {
      const e = document.activeElement
      if (!e || e === document.body) return undefined
      const seen = [e, e.closest('label'), e.closest('.field')].some((x) => x && getComputedStyle(x).outlineStyle !== 'none' && Number.parseFloat(getComputedStyle(x).outlineWidth) >= 1)
      const field = e.matches('main input, main textarea, main select')
      return { seen, inside: Boolean(e.closest('main')), what: e.outerHTML.slice(0, 120), field: field ? (e.getAttribute('aria-label') ?? e.closest('label')?.textContent) : undefined }
    })
    if (!at || (!whole && !at.inside)) break
    assert.ok(at.seen, `${path}: the focus cannot be seen on ${at.what}`)
    if (at.field) reached.add(at.field)
  }
  const fields = await page.locator('main').locator('input, textarea, select').and(page.locator(':not([tabindex="-1"]):not(details:not([open]) *)')).count() // counted last, when the view has all that it shows; a row's mark has a key, what is folded is unfolded first
  assert.equal(reached.size, fields, `${path}: the Tab key reaches ${[...reached]}`)
}

test('without records every view says what to do', async () => {
  for (const path of views) {
    await open(path, empty)
    assert.equal(await page.getByRole('alert').count(), 0, `${path}: ${await page.getByRole('alert').allTextContents()}`)
    const said = await page.locator('[data-testid=pane]').innerText()
    assert.ok(said.length > 20, `${path} says “${said}”`)
  }
})

test('wide: every control has a name, nothing scrolls sideways, axe finds nothing serious in any look', async () => {
  const found = []
  for (const path of all) {
    await open(path)
    found.push(...(await nameless()).map((e) => `${path}: no name: ${e}`))
    for (const look of looks) {
      await page.evaluate((to) => { document.documentElement.dataset.theme = to }, look)
      await picture(path, look)
    }
    await page.evaluate(() => { document.documentElement.dataset.theme = 'terminal' })
    found.push(...(await serious(page)).map((f) => `${path}: ${f}`))
    await unfold()
    found.push(...(await tooWide()).map((e) => `${path} is too wide: ${e}`))
  }
  assert.deepEqual(found, [])
})

test('the Tab key reaches every field, and the focus can be seen', async () => {
  for (const path of views) {
    await open(path)
    await tabThrough(path, path === views[0])
  }
})

test('the page of the kit shows every piece, and axe finds nothing serious in any look', async () => {
  const design = await startDesign(world)
  try {
    for (const look of looks) {
      await design.page.evaluate((to) => { document.documentElement.dataset.theme = to }, look)
      if (folder) await design.page.screenshot({ path: join(folder, `design-${look}.png`) })
    }
    await design.page.evaluate(() => { document.documentElement.dataset.theme = 'terminal' })
    assert.deepEqual(await serious(design.page), [])
    await design.page.getByRole('button', { name: 'Toast', exact: true }).click()
    await design.page.keyboard.press('Control+z')
    await design.page.getByText('Taken back: PAY-201 is In progress').waitFor()
  } finally {
    await design.stop()
  }
})

test('on a phone nothing scrolls sideways, and there is room to read', async () => {
  const found = []
  await page.setViewportSize({ width: 390, height: 844 })
  for (const path of all) {
    await open(path)
    await picture(path, 'phone')
    await unfold()
    found.push(...(await tooWide()).map((e) => `${path} is too wide: ${e}`))
    const room = await page.locator('main').evaluate((m) => m.clientHeight)
    if (room < 844 / 2) found.push(`${path} leaves ${room} px of 844`)
    const picker = await page.getByLabel('Project', { exact: true }).evaluate((s) => s.clientWidth)
    if (picker < 100) found.push(`${path}: the project's name has ${picker} px`)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  assert.deepEqual(found, [])
})

test('no page complained or called elsewhere', () => {
  assert.deepEqual(world.complaints, [])
})
