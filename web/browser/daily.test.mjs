// The daily hour, played by keys: Today, the inbox, a record as a page to work in, two moments compared.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { serious } from './axe.mjs'
import { shot, startDesk } from './world.mjs'

let world
let page
const ids = {}

const api = async (path, data, method = 'POST') => {
  const res = await page.request.fetch(world.at(path), { method, ...(data && { data }), headers: { Origin: world.daemon.origin } })
  assert.ok(res.ok(), `${path}: ${await res.text()}`)
  return res.json()
}
/** join has somebody join, and says their token. */
const join = async (name) => (await api('/api/persons/accept', { token: (await api('/api/persons/invite', { role: 'editor', name })).token })).token
const of = (path) => `/api/projects/${world.project}/${path}`
const day = (n) => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10)
const open = async (path) => {
  await page.goto(world.at(`${path}${path.includes('?') ? '&' : '?'}project=${world.project}`))
  await page.getByText('live', { exact: true }).waitFor()
}
const said = (text) => page.getByText(text).first().waitFor()
const kept = async (field, want) => { // what is shown before the daemon has it does not count
  for (let tries = 0; ; tries++) {
    const r = await api(`/api/records/${ids.late}`, undefined, 'GET')
    const got = field === 'owner' ? r.owner : r.body[field]
    if (JSON.stringify(got) === JSON.stringify(want)) return
    assert.ok(tries < 100, `${field} is ${JSON.stringify(got)}, want ${JSON.stringify(want)}`)
    await page.waitForTimeout(50)
  }
}

before(async () => {
  world = await startDesk()
  page = world.page
  for (const name of ['Dana Reyes', 'Joe Martinez']) await api(of('resources'), { name, capacity: 40 })
  await join('Dana Reyes')
  const ticket = async (title, more = {}) => (await api(of('tickets'), { title, ...more })).id
  ids.late = await ticket('Retry queue with backoff', { externalRef: 'PAY-1', dueDate: day(-2), owner: 'Joe Martinez', priority: 'HIGH', description: 'Waits of **2, 4 and 8** seconds.' })
  ids.stuck = await ticket('Keys of pilot merchants', { externalRef: 'PAY-2', status: 'BLOCKED' })
  ids.done = await ticket('Alert when the queue grows', { externalRef: 'PAY-3' })
  await api(of(`tickets/${ids.done}`), { status: 'DONE' }, 'PATCH')
})

after(() => world?.stop())

test('today shows how things stand, and since is chosen by a key and kept', async () => {
  await open('/today')
  const figure = (name) => page.getByRole('link', { name: new RegExp(`^${name}`) }).first()
  await figure('Open').getByText('2', { exact: true }).first().waitFor()
  await figure('Overdue').getByText('1', { exact: true }).first().waitFor()
  const slips = page.getByRole('region', { name: 'Will slip' })
  await slips.getByText('2 days over').waitFor()
  await slips.getByText('Keys of pilot merchants').waitFor()
  await page.getByRole('region', { name: 'Changed' }).getByText('Alert when the queue grows').waitFor()
  await page.getByRole('region', { name: 'The team’s week' }).getByText('Joe Martinez').waitFor()
  await page.keyboard.press('s')
  await page.getByRole('button', { name: /since 24 hours ago/ }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: /since 24 hours ago/ }).waitFor()
  assert.deepEqual(await serious(page), [])
  await shot(page, '60-today')
  await slips.getByText('Retry queue with backoff').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  await page.keyboard.press('Enter') // the first that slips
  await page.getByRole('heading', { name: 'PAY-1 Retry queue with backoff' }).waitFor()
})

test('a record is worked in by keys: owner, status, day, words, a link, a comment that mentions', async () => {
  await open(`/records/${ids.late}`)
  await page.getByRole('heading', { name: 'PAY-1 Retry queue with backoff' }).waitFor()
  await page.keyboard.press('a')
  await page.getByRole('option', { name: /Dana Reyes/ }).waitFor()
  await page.keyboard.type('dr')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Owner Dana Reyes/ }).waitFor()
  await kept('owner', 'Dana Reyes')
  await page.keyboard.press('s')
  await page.getByRole('dialog', { name: 'Status' }).waitFor()
  await page.keyboard.type('in p')
  await page.keyboard.press('Enter')
  await kept('status', 'IN_PROGRESS')
  await page.keyboard.press('d')
  await page.getByRole('dialog', { name: 'Due' }).waitFor()
  await page.keyboard.type(day(9))
  await page.keyboard.press('Enter')
  await kept('dueDate', day(9))
  await page.keyboard.press('e')
  await page.getByRole('textbox', { name: 'description' }).fill('Waits of **2, 4, 8 and 16** seconds.')
  await page.keyboard.press('Control+Enter')
  await page.locator('strong').getByText('2, 4, 8 and 16').waitFor()
  await page.keyboard.press('l')
  await page.getByRole('combobox', { name: 'Link' }).pressSequentially('PAY-2')
  await page.getByRole('option', { name: /Keys of pilot merchants/ }).waitFor()
  await page.getByRole('option', { name: /Alert/ }).waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Waits for' }).getByText('Keys of pilot merchants').waitFor()
  await kept('blockedBy', [ids.stuck])
  await page.keyboard.press('n')
  await page.getByLabel('What is to be done').fill('Measure the waits')
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Sub-items' }).getByText('Measure the waits').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('c')
  await page.keyboard.type('@dan')
  await page.getByRole('option', { name: /Dana Reyes/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('please look at **this**')
  await page.keyboard.press('Control+Enter')
  const comment = page.getByRole('article', { name: /^Comment of/ })
  await comment.getByText('@Dana Reyes please look at').waitFor()
  assert.equal(await comment.locator('strong').textContent(), 'this')
  assert.deepEqual(await serious(page), [])
  await shot(page, '61-record')
})

test('one change of a record is taken back from its timeline, and that again', async () => {
  await open(`/records/${ids.late}`)
  await said('due date')
  const change = page.getByTestId('happened').filter({ hasText: 'due date' }).first()
  await change.focus()
  await page.keyboard.press('u')
  await kept('dueDate', day(-2))
  await kept('status', 'IN_PROGRESS')
  await said('Took a change of Retry queue with backoff back')
  await page.keyboard.press('Control+z')
  await kept('dueDate', day(9))
})

test('the inbox tells what concerns the person, and one key is done with it', async () => {
  const me = await api('/api/me', undefined, 'GET')
  const dana = await world.context.browser().newContext()
  try {
    const token = await join('Mara Fischer')
    const res = await dana.request.post(world.at(of('comments')), { data: { recordId: ids.stuck, text: `@${me.name} what are the keys for?` }, headers: { Authorization: `Bearer ${token}` } })
    assert.ok(res.ok(), await res.text())
  } finally {
    await dana.close()
  }
  await page.getByRole('navigation').getByRole('link', { name: /^Inbox 1 unread/ }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('N')
  await page.getByRole('region', { name: 'Mentions' }).getByText('what are the keys for?').waitFor()
  assert.deepEqual(await serious(page), [])
  await shot(page, '62-inbox')
  await page.keyboard.press('d')
  await page.getByText('Nothing waits for you.', { exact: false }).waitFor()
  await page.keyboard.press('Control+z')
  await page.getByRole('region', { name: 'Mentions' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'PAY-2 Keys of pilot merchants' }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: /^Inbox 1/ }).waitFor({ state: 'detached' }) // it is read
})

test('of what one is told is chosen, and kept', async () => {
  await open('/inbox')
  await page.keyboard.press('p')
  await page.getByLabel('Comments in your chat').check()
  await page.getByLabel('Findings on the page').uncheck()
  await page.getByLabel('Quiet from').fill('19:00')
  await page.getByLabel('Time zone').selectOption('Europe/Berlin')
  assert.deepEqual(await serious(page), [])
  await page.getByRole('button', { name: 'Save' }).click()
  await said('Saved of what you are told')
  const got = await api('/api/me/notifications/preferences', undefined, 'GET')
  assert.deepEqual([got.off, got.chat, got.quiet, got.zone], [['FINDING'], ['APPROVAL', 'MENTION', 'REMINDER', 'COMMENT'], '19:00-08:00', 'Europe/Berlin'])
})

test('no page complained or called elsewhere', () => {
  assert.deepEqual(world.complaints, [])
})
