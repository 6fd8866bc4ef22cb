// The page of the kit, which is in the development build alone: served from the sources, in front of a daemon.
import { join } from 'node:path'
import { createServer } from 'vite'

/** startDesign serves the sources in front of a world's daemon, and opens the page of the kit as the person who is logged in there. */
export async function startDesign(world) {
  const to = { target: world.daemon.origin, changeOrigin: true, headers: { origin: world.daemon.origin } }
  const server = await createServer({ root: join(import.meta.dirname, '..'), logLevel: 'error', clearScreen: false, server: { host: '127.0.0.1', port: 0, proxy: { '/api': to } } })
  await server.listen()
  const context = await world.context.browser().newContext({ storageState: await world.context.storageState(), viewport: { width: 1440, height: 1800 }, colorScheme: 'dark' })
  const page = await context.newPage()
  await page.goto(`http://127.0.0.1:${server.httpServer.address().port}/design`)
  await page.locator('main h2').filter({ hasText: 'Design' }).waitFor({ timeout: 60_000 })
  await page.locator('.u-over').waitFor()
  await page.waitForTimeout(300) // until what is fetched later is drawn
  return {
    page,
    async stop() {
      await context.close()
      await server.close()
    },
  }
}
