// The whole main job by keyboard alone: from nothing to tickets with their words, an edit, a question, an agent's work under approval.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { call, startModel } from './model.mjs'
import { shot, startWorld } from './world.mjs'

let world
let page
let model

before(async () => {
  model = await startModel(({ response_format, results, messages }) => {
    const wants = JSON.stringify(response_format ?? '')
    if (wants.includes('delegate')) return JSON.stringify({ delegate: 'coder', sub_task: 'Write the note.', respond: '', requires: [] })
    if (response_format) return wants.includes('pass') ? JSON.stringify({ pass: true, summary: 'As asked.', feedback: '' }) : '{}'
    if (!JSON.stringify(messages).includes('Write the note')) return 'I have nothing to add.'
    return results.length > 0 ? 'The note is written.' : [call('write_file', { path: 'note.md', content: '# Refunds\n' })]
  })
  world = await startWorld(model.env)
  page = world.page
  await page.goto(world.daemon.login)
})

after(async () => {
  await world?.stop()
  model?.stop()
})

const press = async (...keys) => {
  for (const k of keys) await page.keyboard.press(k)
}
const go = async (key, name) => {
  await press('Escape', 'g', key)
  await page.locator('main h2').filter({ hasText: name }).first().waitFor()
}
/** tabTo presses Tab until what has the focus is called so. */
async function tabTo(name) {
  for (let i = 0; i < 120; i++) {
    const at = await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent?.trim() ?? '')
    if (at.startsWith(name)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`the Tab key does not reach ${name}`)
}

test('a project is made and minutes become tickets', async () => {
  await page.locator('main h2').first().waitFor()
  await press('Escape')
  await tabTo('What the project is called')
  await page.keyboard.type('Payments')
  await press('Enter')
  await page.getByLabel('The first minutes').waitFor()
  await press('Escape')
  await page.waitForFunction(() => document.querySelector('select[aria-label=Project]')?.selectedOptions[0]?.text === 'Payments')
  await go('i', 'Intake')
  await tabTo('Paste notes')
  await page.keyboard.type('# Refunds weekly, 2026-11-20\nAttendees: Joe Martinez, Ann Lee\n- Decision: refunds are retried three times\n- ACTION: Joe Martinez to add a retry queue by 2026-12-04\n- ACTION: Ann Lee to write the runbook\n')
  await press('Control+Enter')
  await page.locator('article[data-status=DISPATCHED]').waitFor()
})

test('a ticket is found, edited, moved, and shows the words it comes from', async () => {
  await go('k', 'Tickets')
  await page.locator('tbody tr').nth(1).waitFor()
  for (let i = 0; i < 5 && !(await page.locator('tr[aria-current=true]').filter({ hasText: 'retry queue' }).count()); i++) await press('j')
  await press('e')
  await tabTo('Priority')
  await page.keyboard.type('HIGH')
  await tabTo('Save')
  await press('Enter')
  const row = page.locator('tbody tr').filter({ hasText: 'retry queue' })
  await row.filter({ hasText: 'HIGH' }).waitFor()
  await press('Escape', '>')
  await row.filter({ hasText: 'In progress' }).waitFor()
  await press('o') // beside
  await page.locator('[data-pane]').nth(1).getByText('ACTION: Joe Martinez to add a retry queue by 2026-12-04').first().waitFor()
  await shot(page, '80-beside')
})

test('a question is answered with what can be opened', async () => {
  await press('Control+k')
  await page.keyboard.type('ASK Who owns the retry queue?')
  await press('Enter')
  await page.getByTestId('answer').waitFor()
  assert.match(await page.getByTestId('answer').innerText(), /./)
})

test('an agent works, asks, is approved by one key, and the log verifies', async () => {
  await go('c', 'Chat')
  await press('c')
  await tabTo('Message')
  await page.keyboard.type('Write the note about refunds')
  await press('Enter')
  await page.getByRole('link', { name: '1 waiting', exact: true }).waitFor()
  await go('v', 'Approvals')
  await page.getByTestId('question').waitFor()
  await shot(page, '81-question')
  await press('a')
  await page.getByText('0 waiting').waitFor()
  await page.getByText('1 new').first().waitFor()
  await press('U') // what is new
  await page.getByText('The note is written.').first().waitFor()
  await go('l', 'Log')
  await press('v')
  await page.getByText(/^\d+ events in \d+ streams verify\.$/).waitFor()
})

test('no page complained or called elsewhere', () => {
  assert.deepEqual(world.complaints, [])
})
