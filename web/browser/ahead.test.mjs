// What the page asks first is answered with the page.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { shot, startDesk } from './world.mjs'

let world
let page

before(async () => {
  world = await startDesk()
  page = world.page
})

after(() => world?.stop())

const make = async (title) => {
  const res = await page.request.post(world.at(`/api/projects/${world.project}/tickets`), { data: { title }, headers: { Origin: world.daemon.origin } })
  assert.ok(res.ok(), await res.text())
}

/** open opens a view of the project, or one that says its own address, in a page of its own, and says what it asks. */
async function open(path, before = async () => {}, of = `?project=${world.project}`) {
  const fresh = await world.context.newPage()
  const asked = []
  fresh.on('request', (r) => {
    const { pathname, search } = new URL(r.url())
    if (pathname.startsWith('/api/') && pathname !== '/api/events') asked.push(pathname + search)
  })
  await before(fresh)
  await fresh.goto(world.at(path + of))
  await fresh.getByText('live', { exact: true }).waitFor()
  await fresh.waitForFunction(() => document.querySelector('[data-testid=pane] h2') && !document.querySelector('[data-testid=pane]').textContent.includes('Loading…'))
  return { fresh, asked }
}

test('the first views ask nothing', async () => {
  await make('</script><script>alert(1)</script><!--<script>')
  for (const path of ['/today', '/tickets', '/log']) {
    const { fresh, asked } = await open(path)
    assert.deepEqual(asked.filter((a) => !a.startsWith('/api/log?after=')), [], `${path} asks what is not in ahead.json, or says it differently`)
    await shot(fresh, `51-ahead${path.replace('/', '-')}`)
    await fresh.close()
  }
})

test('a first view is drawn once, with what it shows', async () => {
  for (const [path, of] of [['/today'], ['/tickets'], ['/log'], ['/log', '']]) {
    const loads = []
    for (let i = 0; i < 5 && !loads.includes(false); i++) { // on a busy machine the answers may be read too late
      const { fresh } = await open(path, (p) =>
        p.addInitScript(() => {
          new MutationObserver(() => {
            globalThis.loading ||= document.querySelector('[data-testid=pane]')?.textContent.includes('Loading…') ?? false
          }).observe(document, { subtree: true, childList: true })
        }), of)
      loads.push(await fresh.evaluate(() => globalThis.loading))
      await fresh.close()
    }
    assert.equal(loads.at(-1), false, `${path}${of ?? ' of the project'} was drawn without its answers each time`)
  }
})

test('what changes while the page is on its way is shown', async () => {
  const { fresh } = await open('/tickets', (p) =>
    p.route('**/assets/frame-*.js', async (r) => {
      await make('Made meanwhile')
      await r.continue()
    }))
  await fresh.getByText('Made meanwhile').waitFor()
  await fresh.close()
})

test('what changes later is asked for anew', async () => {
  const { fresh, asked } = await open('/tickets')
  await make('Made later')
  await fresh.getByText('Made later').waitFor()
  assert.notDeepEqual(asked, [])
  await fresh.close()
})

test('no page complained or called elsewhere', () => {
  assert.deepEqual(world.complaints, [])
})
