// One walk over all views of the demo at 1440x900, each loaded anew. No view leaves more than a third of its area empty: the pixels
// of a picture are counted. Nothing of a view moves after it was first painted: what comes later has its room.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { shot, startDemo, views } from './world.mjs'

/** most is the largest part of a view that may be one empty rectangle. */
const most = 1 / 3
/** moves is the layout shift that a view may have. */
const moves = 0
const tries = 4 // what a view asks for last comes after a moment
let world
let page
let all

before(async () => {
  world = await startDemo()
  page = world.page
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.addInitScript(() => {
    globalThis.shifts = []
    new PerformanceObserver((l) => {
      for (const e of l.getEntries()) if (!e.hadRecentInput) globalThis.shifts.push({ by: e.value, of: e.sources.map((s) => s.node?.textContent?.slice(0, 40) ?? '') })
    }).observe({ type: 'layout-shift', buffered: true })
  })
  const get = (path) => page.request.get(world.at(path)).then((r) => r.json())
  const tickets = await get(`/api/projects/${world.project}/tickets?q=Retry`)
  const [runs, instances, library] = [await get('/api/runs'), await get('/api/instances'), await get('/api/workflows')]
  await settled(() => get('/api/me/notifications').then((n) => n.open))
  all = [...views, '/views', '/tickets?form=board', '/tickets?form=dependencies', `/records/${tickets.items[0].id}`, `/runs/${runs.at(-1).id}`, `/instances/${instances[0].run.id}`, `/workflows/${library[0].slug}`]
})

after(() => world?.stop())

/** settled waits until a count stays as it is: what the demo's daemon finds after its start comes into the inbox, and moves what is there. */
async function settled(count) {
  const reads = 5 // alike, one after the other
  let [last, alike] = [await count(), 1]
  for (let n = 0; n < 120 && alike < reads; n++) {
    await page.waitForTimeout(500)
    const now = await count()
    alike = now === last ? alike + 1 : 1
    last = now
  }
  assert.ok(Number.isInteger(last) && alike === reads, `the inbox does not settle, it has ${last}`)
}

/** empty is the largest rectangle of one colour in a picture of the view, as a part of its area. It is looked for in cells of 16 pixels. */
async function empty() {
  const png = await page.screenshot()
  return page.evaluate(async (picture) => {
    const cell = 16
    const box = document.querySelector('main').getBoundingClientRect()
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(picture), (c) => c.charCodeAt(0))]))
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d', { willReadFrequently: true })
    canvas.drawImage(image, 0, 0)
    const [cols, rows] = [Math.floor((box.width - 4) / cell), Math.floor((box.height - 4) / cell)]
    const of = cols * cell
    const { data } = canvas.getImageData(Math.ceil(box.x) + 2, Math.ceil(box.y) + 2, of, rows * cell)
    const alike = (a, b) => Math.abs(data[a] - data[b]) + Math.abs(data[a + 1] - data[b + 1]) + Math.abs(data[a + 2] - data[b + 2]) <= 12
    const plain = (row, col) => {
      const first = (row * cell * of + col * cell) * 4
      for (let y = 0; y < cell; y++) for (let x = 0; x < cell; x++) if (!alike(first, first + (y * of + x) * 4)) return false
      return true
    }
    const high = Array(cols).fill(0) // how many plain cells lie above each other, up from the row
    let best = 0
    for (let row = 0; row < rows; row++) {
      for (let col = 0; col < cols; col++) high[col] = plain(row, col) ? high[col] + 1 : 0
      for (let from = 0; from < cols; from++) for (let to = from, low = high[from]; to < cols && low > 0; to++) {
        low = Math.min(low, high[to])
        best = Math.max(best, low * (to - from + 1))
      }
    }
    return best / (cols * rows)
  }, png.toString('base64'))
}

/** moved is what moved on the page since it was loaded: undefined when nothing did. */
async function moved() {
  const shifts = await page.evaluate(() => globalThis.shifts)
  const sum = shifts.reduce((n, s) => n + s.by, 0)
  return sum > moves ? `${sum.toFixed(4)} moved: ${JSON.stringify(shifts)}` : undefined
}

test('no view of the demo leaves more than a third of its area empty, and nothing on it moves', async () => {
  const found = []
  for (const view of all) {
    await page.goto(world.at(`${view}${view.includes('?') ? '&' : '?'}project=${world.project}`))
    await page.locator('main h1, main h2').first().waitFor()
    await page.waitForFunction(() => !document.querySelector('main')?.textContent.includes('Loading…'))
    await page.getByText('live', { exact: true }).waitFor()
    await page.waitForTimeout(300) // what comes later has come
    const still = view.startsWith('/instances/') ? undefined : await moved() // a canvas fits itself to the steps that it measured
    if (still) found.push(`${view}: ${still}`)
    let void_ = await empty()
    for (let n = 1; n < tries && void_ > most; n++) {
      await page.waitForTimeout(300)
      void_ = await empty()
    }
    await shot(page, `room${view.replace(/[^a-z]+/g, '-')}`)
    if (process.env.CHELA_SHOTS) console.log(void_.toFixed(2), view)
    if (void_ > most) found.push(`${view}: ${void_.toFixed(2)} is empty`)
  }
  assert.deepEqual(found, [])
})

test('nothing moves on a view whose answers are late, each by another time', async () => {
  const found = []
  let asked = 0
  const late = async (route) => {
    await new Promise((done) => setTimeout(done, 1_100 + 300 * (asked++ % 4))) // longer than a view waits for all of them
    await route.continue()
  }
  const answers = (url) => url.pathname.startsWith('/api/') && !/\/(events|stream)$/.test(url.pathname)
  await page.route(answers, late)
  for (const [view, ...parts] of [['/policy'], ['/channels'], ['/blindspots'], ['/deltas'], ['/tickets?form=dependencies', 'In no chain', 'The chosen record']]) {
    await page.goto(world.at(`${view}${view.includes('?') ? '&' : '?'}project=${world.project}`))
    await page.locator('main section:not([aria-busy])').first().waitFor()
    await page.locator('main section[aria-busy]').waitFor({ state: 'detached' })
    for (const part of parts) await page.getByLabel(part).waitFor()
    await page.waitForTimeout(300) // what comes later has come
    const still = await moved()
    if (still) found.push(`${view}: ${still}`)
  }
  await page.unroute(answers, late)
  assert.deepEqual(found, [])
})
