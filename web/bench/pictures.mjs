// Pictures of every view, to be looked at: the demo, 10,000 tickets, an empty project and a phone, in three looks, with an index page.
// `npm run pictures` writes them into web/pictures, or into the folder that CHELA_SHOTS names. Words after it narrow to sets and
// views: `npm run pictures tickets`, `npm run pictures many`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startDesign } from '../browser/design.mjs'
import { seedTickets } from '../browser/flood.mjs'
import { startDesk, startWorld, views } from '../browser/world.mjs'

const folder = process.env.CHELA_SHOTS ?? join(import.meta.dirname, '../pictures')
const looks = ['terminal', 'light', 'contrast']
const wide = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }
const sets = ['demo', 'many', 'empty', 'help', 'design']
const inSets = process.argv.slice(2).filter((w) => sets.includes(w))
const wanted = process.argv.slice(2).filter((w) => !sets.includes(w)) // words in the names of views

/** has says whether a set is wanted: all are when none is named, and what is no view is not when views are. */
const has = (set) => (inSets.length > 0 ? inSets.includes(set) : wanted.length === 0 || !['help', 'design'].includes(set))

const taken = [] // the names of the pictures, by set

/** nameOf is a path as the name of a file. */
const nameOf = (path) => path.replace(/_[0-9a-z]{20,}/, '').replace(/[^a-z]+/g, '-').replace(/^-|-$/g, '') || 'intake'

/** settle waits until a page shows what it has. */
async function settle(page) {
  await page.locator('main h1, main h2').first().waitFor()
  await page.waitForFunction(() => !document.querySelector('main')?.textContent.includes('Loading…'))
  await page.waitForLoadState('networkidle')
}

/** take takes pictures of views of a project in some looks. */
async function take(set, world, project, paths, size, inLooks) {
  const { page } = world
  await page.setViewportSize(size)
  for (const path of paths) {
    const name = nameOf(path)
    if (wanted.length > 0 && !wanted.some((w) => name.includes(w))) continue
    await page.goto(world.at(`${path}${path.includes('?') ? '&' : '?'}project=${project}`))
    await settle(page)
    for (const look of inLooks) {
      await page.evaluate((to) => { document.documentElement.dataset.theme = to }, look)
      const file = `${set}-${look}-${name}.png`
      await page.screenshot({ path: join(folder, file) })
      taken.push({ set: `${set}, ${look}`, name, file })
    }
  }
}

/** demo is the demo as it is started by hand, without its tour. */
async function demo() {
  const world = await startWorld({}, ['demo'])
  const { page } = world
  await page.goto(world.daemon.login)
  await page.getByText('live', { exact: true }).waitFor()
  await page.request.put(world.at('/api/me/tour'), { data: { step: 1, over: true }, headers: { Origin: world.daemon.origin } }) // nothing lies over the views
  const get = (path) => page.request.get(world.at(path)).then((r) => r.json())
  const project = (await get('/api/projects')).items[0].id
  for (let runs = []; !runs.some((r) => r.state === 'done');) runs = await get('/api/runs')
  const tickets = await get(`/api/projects/${project}/tickets?q=Retry`)
  const threads = await get(`/api/projects/${project}/threads`)
  const run = (await get('/api/runs')).at(-1)
  const all = [
    ...views, '/views', '/tickets?form=board', '/tickets?form=dependencies', `/records/${tickets.items[0].id}`, `/runs/${run.id}`, `/threads?thread=${threads.items[0].id}`,
    '/today?panes=r50(.,c50(.,.))&p1=/tickets&p2=/people&link=0.1.2',
  ]
  if (has('demo')) await take('demo', world, project, all, wide, looks)
  if (has('help')) await help(world, project)
  if (has('design')) await design(world)
  if (has('demo')) await take('phone', world, project, all.filter((p) => !p.includes('panes=')), phone, ['terminal', 'light'])
  await world.stop()
}

/** design is the page of the kit. */
async function design(world) {
  const { page, stop } = await startDesign(world)
  for (const look of looks) {
    await page.evaluate((to) => { document.documentElement.dataset.theme = to }, look)
    await page.waitForTimeout(200)
    await page.screenshot({ path: join(folder, `design-${look}.png`) })
    taken.push({ set: 'design', name: look, file: `design-${look}.png` })
  }
  await stop()
}

/** help takes pictures of what opens over a view. */
async function help(world, project) {
  const { page } = world
  await page.setViewportSize(wide)
  await page.goto(world.at(`/tickets?project=${project}`))
  await settle(page)
  const shots = [['help', '?'], ['command', 'Control+k'], ['layouts', 'Alt+s'], ['moment', '@']]
  for (const [name, key] of shots) {
    await page.keyboard.press(key)
    await page.waitForTimeout(400)
    for (const look of looks) {
      await page.evaluate((to) => { document.documentElement.dataset.theme = to }, look)
      await page.screenshot({ path: join(folder, `over-${look}-${name}.png`) })
      taken.push({ set: `over, ${look}`, name, file: `over-${look}-${name}.png` })
    }
    await page.keyboard.press('Escape')
    await page.waitForTimeout(200)
  }
}

const day = (n) => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10)
const people = ['Joe Martinez', 'Priya Nair', 'Alice Chen', 'Sam Okoye', 'Mei Lin', 'Tom Weber', 'Dana Reyes', '']
const works = ['Retry a payment that timed out', 'The settlement file has two headers', 'Keys of merchants expire without a warning', 'A refund is booked twice after a restart', 'Show the state of each attempt']
const states = ['TODO', 'DONE', 'DONE', 'DONE', 'IN_PROGRESS', 'DONE', 'REVIEW', 'DONE', 'BLOCKED', 'TODO']

/** export_ is a tracker's export of tickets as a team of seven might have them after some years. */
const export_ = {
  head: 'Key,Title,Status,Priority,Assignee,Story Points,Due Date,Sprint',
  row: (i) => `PAY-${i + 1},${works[i % 5]} (${['checkout', 'ledger', 'gateway', 'portal'][i % 4]}),${states[(i * 7) % 10]},${['LOW', 'MEDIUM', 'MEDIUM', 'HIGH', 'CRITICAL'][(i * 3) % 5]},${people[i % 8]},${[1, 2, 3, 5, 8][i % 5]},${i % 3 === 0 ? day((i % 600) - 550) : ''},Sprint ${i % 60}`,
}

/** many is a project of 10,000 tickets. */
async function many() {
  const world = await startDesk({ name: 'Payments' })
  await seedTickets(world.page.request, world.at, world.project, 10_000, export_)
  await take('many', world, world.project, [...views, '/tickets?form=board', '/tickets?form=dependencies'], wide, ['terminal', 'light'])
  await world.stop()
}

/** empty is a project in which nothing is yet, and a desk without a project. */
async function empty() {
  const world = await startDesk({ name: 'Empty' })
  await take('empty', world, world.project, views, wide, ['terminal'])
  await world.stop()
  const first = await startWorld()
  await first.page.goto(first.daemon.login)
  await first.page.setViewportSize(wide)
  await first.page.waitForTimeout(800)
  for (const look of looks) {
    await first.page.evaluate((to) => { document.documentElement.dataset.theme = to }, look)
    await first.page.screenshot({ path: join(folder, `first-${look}.png`) })
    taken.push({ set: `first run, ${look}`, name: 'start', file: `first-${look}.png` })
  }
  await first.stop()
}

/** index writes the page of all pictures. */
function index() {
  const sets = [...new Set(taken.map((t) => t.set))]
  const figure = (t) => `<figure><a href="${t.file}"><img loading="lazy" width="420" src="${t.file}" alt=""></a><figcaption>${t.name}</figcaption></figure>`
  writeFileSync(join(folder, 'index.html'), `<!doctype html><meta charset="utf-8"><title>Views of Chela</title><style>body{font:14px sans-serif}section{display:flex;flex-wrap:wrap}</style>
${sets.map((set) => `<h1>${set}</h1><section>${taken.filter((t) => t.set === set).map(figure).join('\n')}</section>`).join('\n')}`)
}

mkdirSync(folder, { recursive: true })
if (['demo', 'help', 'design'].some(has)) await demo()
if (has('many')) await many()
if (has('empty')) await empty()
index()
console.log(`${taken.length} pictures and index.html in ${folder}`)
