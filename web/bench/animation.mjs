// The animation of the README, made from the real page on the demo: minutes pasted → tickets with quotes → a cited answer →
// an approval. `npm run animation` writes docs/cockpit.png, an animated PNG.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startWorld } from '../browser/world.mjs'
import { animated } from './apng.mjs'

const file = join(import.meta.dirname, '../../docs/cockpit.png')
const most = 1_000_000 // bytes, so that the README comes at once
const frames = []

const minutes = `# Payments weekly ${new Date().toISOString().slice(0, 10)}

Present: Dana Reyes, Joe Martinez, Tom Weber

- Decision: a retry that failed five times is given up
- ACTION: Joe to count the retries that were given up by Friday
- Tom will page the person on call when the queue grows by next Wednesday
- Open question: who tells the merchant?
`

const world = await startWorld({}, ['demo'])
const { page } = world
await page.setViewportSize({ width: 1100, height: 660 })
await page.goto(world.daemon.login)
await page.getByText('live', { exact: true }).waitFor()
await page.request.put(world.at('/api/me/tour'), { data: { step: 1, over: true }, headers: { Origin: world.daemon.origin } }) // nothing lies over the views
const project = (await page.request.get(world.at('/api/projects')).then((r) => r.json())).items[0].id
const open = (path) => page.goto(world.at(`${path}?project=${project}`))
/** keep takes a picture that is shown so long, in milliseconds. */
const keep = async (ms) => {
  await page.waitForTimeout(350)
  frames.push({ png: await page.screenshot(), ms })
}

await open('/today')
await page.getByRole('region', { name: 'Needs you' }).waitFor()
await keep(2200)
await page.keyboard.press('g')
await page.keyboard.press('i')
await page.getByLabel('Paste notes').fill(minutes)
await keep(2600)
await page.keyboard.press('Control+Enter')
await page.locator('article.card').first().and(page.locator('[data-status=DISPATCHED]')).getByText('pasted text').waitFor()
await keep(2200)
await page.keyboard.press('Escape')
await page.keyboard.press('g')
await page.keyboard.press('k')
await page.locator('tbody tr[aria-current=true]').waitFor()
await page.keyboard.press('Enter')
await page.locator('.pane blockquote').first().waitFor()
await keep(2800)
await page.keyboard.press('Control+k')
await page.keyboard.type('ask Which developer has the most capacity?')
await keep(1400)
await page.keyboard.press('Enter')
await page.getByTestId('answer').waitFor()
await keep(2800)
await page.keyboard.press('g')
await page.keyboard.press('v')
await page.locator('.pane [aria-current=true]').first().waitFor()
await page.keyboard.press('j')
await keep(2600)
await page.keyboard.press('a')
await page.getByText(/^✓ Approved/).waitFor()
await keep(2200)
await world.stop()

const made = animated(frames)
if (made.length > most) throw new Error(`The animation has ${made.length} bytes, more than ${most}. Take fewer pictures, or smaller ones.`)
writeFileSync(file, made)
console.log(`${frames.length} pictures, ${made.length} bytes in ${file}`)
