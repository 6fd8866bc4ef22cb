// How fast the page is, in a real Chromium against the real binary. `make bench-page` runs it.
// CHELA_BENCH_MINUTES is how long the log is watched through a flood; half a minute when left out.
import { readFileSync } from 'node:fs'
import { flood, heap, keys, quantile, seedTickets } from '../browser/flood.mjs'
import { startWorld } from '../browser/world.mjs'
import { canvas } from './canvas.mjs'

const minutes = Number(process.env.CHELA_BENCH_MINUTES ?? 0.5)
const perSecond = Number(process.env.CHELA_BENCH_EVENTS ?? 1000)
const tickets = 10_000
const ms = (n) => `${n.toFixed(0).padStart(6)} ms`
const line = (name, value, bound = '') => console.log(`${name.padEnd(46)} ${value}${bound ? `   (to be under ${bound})` : ''}`)
const told = (name, sorted) => line(name, `p50 ${ms(quantile(sorted, 0.5))}  p95 ${ms(quantile(sorted, 0.95))}  most ${ms(sorted.at(-1))}`, '50 ms')

/** taken is the processor time of this machine since it began, and how much of it others on the same host took; undefined where that cannot be told. */
function taken() {
  try {
    const ticks = readFileSync('/proc/stat', 'utf8').split('\n')[0].trim().split(/ +/).slice(1, 9).map(Number)
    return { all: ticks.reduce((a, b) => a + b), others: ticks[7] }
  } catch {
    return undefined
  }
}

/** since is the share of the processor that others took since then, in words; empty where that cannot be told. */
function since(then) {
  const now = taken()
  if (!now || !then) return ''
  return `  ${((100 * (now.others - then.others)) / Math.max(1, now.all - then.all)).toFixed(0)} % of the processor was taken by others`
}

/** firstView is how long a browser that has nothing takes until a view shows what it has. */
async function firstView(world, path) {
  const context = await world.context.browser().newContext({ viewport: { width: 1280, height: 800 }, storageState: await world.context.storageState() })
  await context.addInitScript(() => {
    const shown = () => document.querySelector('[data-testid=pane] h2') && !document.querySelector('[data-testid=pane]').textContent.includes('Loading…')
    const watch = new MutationObserver(() => {
      if (!shown()) return
      watch.disconnect()
      requestAnimationFrame(() => { globalThis.chelaShown = performance.now() })
    })
    watch.observe(document, { subtree: true, childList: true, characterData: true })
  })
  const page = await context.newPage()
  await page.goto(world.at(path))
  const took = await (await page.waitForFunction(() => globalThis.chelaShown)).jsonValue()
  const size = await page.evaluate(() => performance.getEntriesByType('resource').filter((r) => r.name.includes('/assets/')).reduce((n, r) => n + r.encodedBodySize, 0))
  await context.close()
  return { took, size }
}

const world = await startWorld()
const { page } = world
await page.goto(world.daemon.login)
await page.getByText('live', { exact: true }).waitFor()
const { id: project } = await (await page.request.post(world.at('/api/projects'), { data: { name: 'Payments' }, headers: { Origin: world.daemon.origin } })).json()
const ids = await seedTickets(page.request, world.at, project, tickets)

for (const path of ['/today', '/tickets', '/log']) {
  const all = []
  let size = 0
  const then = taken()
  for (let i = 0; i < 5; i++) {
    const one = await firstView(world, `${path}?project=${project}`)
    all.push(one.took)
    size = one.size
  }
  all.sort((a, b) => a - b)
  line(`first view of ${path}, cold cache, ${(size / 1000).toFixed(0)} kB`, `p50 ${ms(quantile(all, 0.5))}  most ${ms(all.at(-1))}${since(then)}`, '500 ms')
}

await page.goto(world.at(`/tickets?project=${project}`))
await page.locator('tbody tr').first().waitFor()
told(`a key until drawn, ${tickets} tickets`, await keys(page, 'j', 100, 20))

await canvas(world, line)

await page.goto(world.at('/log'))
await page.getByRole('list', { name: 'Events' }).getByRole('listitem').first().waitFor()
await page.getByText('live', { exact: true }).waitFor()
const began = performance.now()
const rush = flood(page.request, world.at, project, ids.slice(0, 2000), perSecond)
const heaps = []
for (let i = 0; i === 0 || performance.now() - began < minutes * 60_000; i++) {
  const following = await keys(page, 'Shift', 60, 60)
  const held = await keys(page, 'j', 60, 60)
  await page.keyboard.press('p')
  heaps.push([(performance.now() - began) / 60_000, await heap(page)])
  if (i === 0) {
    told(`a key until drawn, log followed, ${perSecond} events/s`, following)
    told(`a key until drawn, log held, ${perSecond} events/s`, held)
  }
}
const { events, seconds } = await rush.stop()
line('events recorded meanwhile', `${events} in ${seconds.toFixed(0)} s, ${Math.round(events / seconds)}/s`)
const step = Math.max(1, Math.floor(heaps.length / 12))
for (const [at, mb] of heaps.filter((_, i) => i % step === 0 || i === heaps.length - 1)) line(`heap after ${at.toFixed(1)} min`, `${mb.toFixed(1).padStart(6)} MB`)
await world.stop()
