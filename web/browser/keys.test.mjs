// The twelve jobs of docs/keys.md, played on the demo as the page of docs says, without a mouse.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startDemo } from './world.mjs'

let world
let page
let project
let ticket // a ticket that is open

const get = (path) => page.request.get(world.at(path)).then((r) => r.json())
const of = (path) => get(`/api/projects/${project}/${path}`)
const open = (path) => page.goto(world.at(`${path}${path.includes('?') ? '&' : '?'}project=${project}`))
/** until asks again until something holds. */
const until = async (what, holds) => {
  for (let tries = 0; !(await holds()); tries++) {
    assert.ok(tries < 1200, `it did not come to this: ${what}`)
    await page.waitForTimeout(50)
  }
}
/** rested waits until a view has what it shows, and keys are for it. */
const rested = async () => {
  await page.locator('main h2').first().waitFor()
  await page.waitForFunction(() => !document.querySelector('main')?.textContent.includes('Loading…'))
  await page.getByText('live', { exact: true }).waitFor()
}
const pending = async () => (await get('/api/approvals?status=pending')).length

/** places are where one stands. */
const places = { Ask: '/ask', Today: '/today', Approvals: '/approvals', Tickets: '/tickets', 'the ticket': () => `/records/${ticket.id}` }

/**
 * jobs are the jobs by their number: the words that are written, what has to be there before the last keys, and what
 * holds in the end. Of what held in the beginning begin says what is to be remembered.
 */
const jobs = {
  1: { end: () => page.getByRole('heading', { name: 'Today' }).waitFor() },
  2: { ready: () => page.locator('[data-need=approval][aria-current=true]').waitFor(), begin: pending, end: (n) => until('one approval less', async () => (await pending()) === n - 1) },
  3: {
    ready: async () => { // exactly: with the diff
      await page.locator('main').getByText('edit_file').first().waitFor()
      await page.locator('main').getByText('+++').first().waitFor()
    },
    begin: pending, end: (n) => until('one approval less', async () => (await pending()) === n - 1),
  },
  4: {
    pause: { n: () => page.getByLabel('Paste notes').waitFor() }, words: '# Standup\n\n- ACTION: Tom to rehearse the failover by Friday', begin: async () => (await of('intakes')).total,
    end: (n) => until('one intake more, and its ticket', async () => (await of('intakes')).total === n + 1 && (await of('tickets?q=rehearse')).total === 1),
  },
  5: { words: 'Count what was given up', end: () => until('the ticket', async () => (await of('tickets?q=Count+what+was+given+up')).total === 1) },
  6: { words: 'Mei', before: () => page.getByRole('option', { name: /Mei/ }).and(page.locator('[aria-selected=true]')).waitFor(), end: () => until('it is Mei’s', async () => (await get(`/api/records/${ticket.id}`)).owner === 'Mei Lin') },
  7: { words: 'Review', before: () => page.getByRole('option', { name: /review/i }).and(page.locator('[aria-selected=true]')).waitFor(), end: () => until('it is in review', async () => (await get(`/api/records/${ticket.id}`)).body.status === 'REVIEW') },
  8: { words: 'The bank answers on Monday.', end: () => page.getByRole('article', { name: /^Comment of/ }).getByText('The bank answers on Monday.').waitFor() },
  9: {
    ready: () => page.locator('tbody tr[aria-current=true]').waitFor(), words: 'Sprint 9',
    before: () => page.getByRole('button', { name: /^Change 3 tickets/ }).and(page.locator(':enabled')).waitFor(),
    end: () => until('three tickets in it', async () => (await of('tickets?filter=sprint:"Sprint+9"')).total === 3),
  },
  10: { stays: true, ready: () => page.getByText('Changed 3 tickets').first().waitFor(), end: () => until('no ticket in it', async () => (await of('tickets?filter=sprint:"Sprint+9"')).total === 0) },
  11: { words: 'ask Which developer has the most capacity?', end: () => page.getByTestId('answer').waitFor() },
  12: {
    pause: { '@': () => page.getByRole('heading', { name: 'People and capacity' }).waitFor(), w: () => page.getByRole('dialog', { name: 'Range' }).waitFor() },
    end: () => page.getByTestId('past').waitFor().then(() => page.getByRole('heading', { name: 'People and capacity' }).waitFor()),
  },
}

/** table are the rows of the page of docs. */
const table = readFileSync(join(import.meta.dirname, '../../docs/keys.md'), 'utf8').split('\n').flatMap((line) => {
  const cells = line.split('|').slice(1, -1).map((c) => c.trim())
  return /^\d+$/.test(cells[0] ?? '') ? [{ n: cells[0], job: cells[1], from: cells[2], keys: [...cells[3].matchAll(/`([^`]+)`|_([^_]+)_/g)].map((m) => (m[1] ? { key: m[1] } : { words: m[2] })), number: Number(cells[4]), linear: cells[5] }] : []
})

before(async () => {
  world = await startDemo()
  page = world.page
  project = world.project
  ticket = (await of('tickets?filter=status:TODO&limit=1')).items[0]
  await until('what is asked', async () => (await pending()) === 3)
})

after(() => world?.stop())

test('the page of docs has twelve jobs, counts their keys rightly, and none takes more than in Linear', () => {
  assert.deepEqual(table.map((r) => r.n), Object.keys(jobs))
  for (const r of table) {
    assert.equal(r.keys.filter((k) => k.key).length, r.number, r.job)
    if (r.linear !== '–') assert.ok(r.number <= Number(r.linear), r.job)
  }
})

for (const r of table) {
  test(`${r.n}. ${r.job}: ${r.number} keys`, async () => {
    const job = jobs[r.n]
    const place = places[r.from]
    if (!job.stays) await open(typeof place === 'function' ? place() : place)
    await rested()
    await job.ready?.()
    const begun = await job.begin?.()
    for (const [i, k] of r.keys.entries()) {
      if (k.key) {
        await job.pause?.[k.key]?.()
        if (i > 0 && i === r.keys.length - 1) await job.before?.()
        await page.keyboard.press(k.key.replace('Ctrl', 'Control'))
        if (r.keys[i + 1]?.words) await page.waitForFunction(() => /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? ''))
      } else {
        await page.keyboard.insertText(job.words)
        await page.waitForTimeout(300) // as long as a person takes to the next key
      }
    }
    await job.end(begun)
  })
}

test('no page complained or called elsewhere', () => assert.deepEqual(world.complaints, []))
