// The log as it grows: followed, held, narrowed, opened, verified; through a break of the connection and through a flood.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { flood, heap, keys, quantile, seedTickets } from './flood.mjs'
import { startProxy } from './proxy.mjs'
import { shot, startWorld } from './world.mjs'

let world
let page
let proxy
let project
let ids
const api = (path) => world.at(path) // past the proxy

before(async () => {
  world = await startWorld()
  page = world.page
  proxy = await startProxy(world.daemon.origin)
  await page.goto(world.daemon.login)
  await page.getByText('Make a project first').waitFor()
  project = (await (await page.request.post(api('/api/projects'), { data: { name: 'Payments' }, headers: { Origin: world.daemon.origin } })).json()).id
  ids = await seedTickets(page.request, api, project, 400)
})

after(async () => {
  proxy?.stop()
  await world?.stop()
})

const open = async (path = '/log') => {
  await page.goto(proxy.origin + path)
  await page.getByRole('list', { name: 'Events' }).getByRole('listitem').first().waitFor()
  await page.getByText('live', { exact: true }).waitFor()
}
/** edit changes a ticket so many times, one after the other. */
async function edit(times, from = 0) {
  for (let i = from; i < from + times; i++) {
    const res = await page.request.patch(api(`/api/projects/${project}/tickets/${ids[0]}`), { data: { title: `Edited ${i}` }, headers: { Origin: world.daemon.origin } })
    assert.ok(res.ok(), await res.text())
  }
}
const shown = () => page.getByRole('list', { name: 'Events' }).getByRole('listitem')
const seqOf = async (row) => Number((await row.locator('span').first().textContent()).trim())
const newest = async (query = '') => (await (await page.request.get(api(`/api/log?newest=true&limit=500${query}`))).json()).events

/** follows waits until the newest row is the newest event. */
async function follows(query = '') {
  const [last] = await newest(query)
  await page.waitForFunction((seq) => document.querySelector('[aria-label=Events] [role=listitem] span')?.textContent.trim() === String(seq), last.seq)
}

/** all reads every row that is shown, from the first to the last, by scrolling. */
async function all(least) {
  const found = new Map()
  const pane = page.getByTestId('pane')
  await pane.evaluate((p) => p.scrollTo(0, 0))
  for (let i = 0; i < 400 && found.size < least; i++) {
    for (const [index, seq] of await shown().evaluateAll((rows) => rows.map((r) => [Number(r.dataset.index), Number(r.querySelector('span').textContent)]))) found.set(index, seq)
    await pane.evaluate((p) => {
      p.scrollBy(0, p.clientHeight / 2)
      return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    })
  }
  return [...found.entries()].sort(([a], [b]) => a - b).map(([, seq]) => seq)
}

test('the log is followed, held and followed again', async () => {
  await open()
  await edit(3)
  await follows()
  await page.keyboard.press('p')
  await page.getByRole('button', { name: /^held, 0 came/ }).waitFor()
  const before = await seqOf(shown().first())
  await edit(5, 3)
  await page.getByRole('button', { name: /^held, 5 came/ }).waitFor()
  assert.equal(await seqOf(shown().first()), before, 'what is held moved')
  await page.keyboard.press('p')
  await follows()
  await shot(page, '70-log')
})

test('an event opens with its body, its hash and what it is about', async () => {
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const event = page.getByTestId('event')
  await event.getByTestId('payload').getByText('Edited').waitFor()
  assert.equal(await event.getByText(/^[0-9a-f]{64}$/).count(), 3, 'digest, hash before and hash')
  await page.getByRole('button', { name: /^held/ }).waitFor()
  await event.getByRole('link', { name: ids[0] }).click()
  await page.getByText('Where it comes from').waitFor()
})

test('it is narrowed by type, actor and words, also what comes', async () => {
  await open('/log?type=desk.ticket.*')
  for (const [name, value] of [['Actor', 'chela'], ['Words', 'number 7']]) {
    await page.getByLabel(name, { exact: true }).fill(value)
    await page.keyboard.press('Enter')
    await page.waitForFunction((v) => decodeURIComponent(location.search.replaceAll('+', ' ')).includes(v), value)
  }
  await page.waitForFunction(() => [...document.querySelectorAll('[aria-label=Events] [role=listitem]')].every((r) => r.textContent.includes('desk.ticket.created') && r.textContent.includes('number 7')))
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByRole('button', { name: 'Show all' }).waitFor({ state: 'detached' })
  await page.getByLabel('Words', { exact: true }).fill('Edited 987654321')
  await page.keyboard.press('Enter')
  await page.getByText('No event fits').waitFor()
  await edit(1, 987654321)
  await shown().filter({ hasText: 'Edited 987654321' }).waitFor()
  assert.equal(await shown().count(), 1)
})

test('the chains are verified by a key', async () => {
  await open()
  await page.keyboard.press('v')
  await page.getByText(/^\d+ events in \d+ streams verify\.$/).waitFor()
})

test('after a break of the connection nothing is missing and nothing is twice', async () => {
  await open()
  await follows()
  const last = await seqOf(shown().first())
  await edit(20, 200)
  proxy.cut()
  await page.getByText('connecting…').waitFor()
  await edit(350, 300) // more than one page of the log
  proxy.mend()
  await page.getByText('live', { exact: true }).waitFor()
  await edit(5, 700)
  await follows()
  const want = (await newest()).map((e) => e.seq).filter((s) => s > last)
  assert.ok(want.length >= 375, `${want.length} events`)
  assert.deepEqual((await all(want.length + 20)).slice(0, want.length), want)
})

test('it answers keys through a thousand events a second, and does not grow', async () => {
  await open()
  const rush = flood(page.request, api, project, ids, 1000)
  await page.waitForFunction(() => /^[0-9.]+k?\/s$/.test(document.querySelector('[data-testid=rate]')?.textContent ?? '') && document.querySelector('[data-testid=rate]').textContent !== '0/s')
  const first = await heap(page)
  const while_ = await keys(page, '?', 20)
  await page.keyboard.press('Escape')
  const moved = await keys(page, 'j', 40)
  await page.keyboard.press('p')
  const { events, seconds } = await rush.stop()
  const then = await heap(page)
  console.log(`${Math.round(events / seconds)} events/s; a key until drawn: p50 ${quantile(moved, 0.5).toFixed(0)} ms, p95 ${quantile(moved, 0.95).toFixed(0)} ms; following p95 ${quantile(while_, 0.95).toFixed(0)} ms; heap ${first.toFixed(1)} then ${then.toFixed(1)} MB`)
  assert.ok(quantile(moved, 0.5) < 250, `a key takes ${quantile(moved, 0.5)} ms`)
  assert.ok(then < first + 40, `the heap grew from ${first} to ${then} MB`)
  assert.ok(await shown().count() < 200, 'rows that nobody sees are in the page')
  await follows()
})

test('no page complained or called elsewhere', () => assert.deepEqual(world.complaints.filter((c) => !c.includes(proxy.origin) && !/ERR_|Failed to load resource/.test(c)), []))
