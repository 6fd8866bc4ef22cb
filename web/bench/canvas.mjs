// How smooth a canvas of 300 steps is, in frames and in processor time of the page's thread for one. `make bench-page` runs it, too.
import { frames, quantile } from '../browser/flood.mjs'

const steps = 300
const needs = (i) => [i - 10, i % 10 < 9 ? i - 9 : -1].filter((n) => n >= 0 && i >= 10).map((n) => `s${n}`)
const source = `slug: large\nname: Large\nsteps:\n${Array.from({ length: steps }, (_, i) => `  - {id: s${i}, title: Step ${i}, needs: [${needs(i)}], transform: {n: ${i}}}`).join('\n')}\n`

/** canvas moves about a canvas of 300 steps; line writes a figure. */
export async function canvas(world, line) {
  const { page } = world
  const res = await page.request.post(world.at('/api/workflows'), { data: { source }, headers: { Origin: world.daemon.origin } })
  if (!res.ok()) throw new Error(await res.text())
  await page.goto(world.at('/workflows/large'))
  await page.locator('.react-flow__node').nth(steps - 1).waitFor({ state: 'attached' })
  await page.waitForTimeout(1_000)
  const box = await page.locator('.react-flow').boundingBox()
  const [x, y] = [box.x + 20, box.y + 60] // where no step lies
  const told = async (name, doing) => {
    const { all, work } = await frames(page, doing)
    const seconds = all.reduce((a, b) => a + b) / 1000
    line(`${steps} steps, ${name}`, `${(all.length / seconds).toFixed(0).padStart(3)} frames/s  p50 ${quantile(all, 0.5).toFixed(1)} ms  p95 ${quantile(all, 0.95).toFixed(1)} ms  processor ${work.toFixed(1)} ms a frame`, '16.7 ms of processor')
  }
  const drag = async (fromX, fromY) => {
    await page.mouse.move(fromX, fromY)
    await page.mouse.down()
    for (let i = 1; i < 120; i++) await page.mouse.move(fromX + (i % 60) * 4, fromY + (i % 30) * 3)
    await page.mouse.up()
  }
  await told('all in sight, moved', () => drag(x, y))
  await told('zoomed in and out', async () => {
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    for (let i = 0; i < 60; i++) {
      await page.mouse.wheel(0, i < 30 ? -60 : 60)
      await page.waitForTimeout(16)
    }
  })
  await page.keyboard.press('f')
  await page.waitForTimeout(500)
  const one = await page.locator('.react-flow__node').nth(steps / 2).boundingBox()
  await told('a step dragged', () => drag(one.x + 5, one.y + 4))
  await page.keyboard.press('Home')
  await told('walked by keys', async () => {
    for (let i = 0; i < 40; i++) await page.keyboard.press(i % 3 ? 'ArrowRight' : 'ArrowDown')
  })
}
