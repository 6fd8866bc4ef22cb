import { spawn } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'

/** findChromium returns the browser of this machine; none is ever downloaded. */
function findChromium() {
  if (process.env.CHELA_CHROMIUM) return process.env.CHELA_CHROMIUM
  for (const dir of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
      try {
        accessSync(join(dir, name), constants.X_OK)
        return join(dir, name)
      } catch {
        // not here
      }
    }
  }
  throw new Error('The browser test needs Chromium: install the package chromium, or set CHELA_CHROMIUM to a browser.')
}

/** startDaemon starts the real binary on a folder of its own. */
export async function startDaemon() {
  const data = mkdtempSync(join(tmpdir(), 'chela-browser-'))
  const child = spawn(join(import.meta.dirname, '../../bin/chela'), ['serve', '--data', data, '--listen', '127.0.0.1:0'], {
    env: { PATH: process.env.PATH, HOME: data },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.on('exit', resolve))
  const login = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const link = line.match(/^Open (\S+)/)
      if (link) resolve(link[1])
    })
    child.on('exit', (code) => reject(new Error(`the daemon ended with ${code}`)))
  })
  return {
    login,
    async stop() {
      child.kill('SIGINT')
      await ended
      rmSync(data, { recursive: true, force: true })
    },
  }
}

/** startBrowser starts Chromium; complaints collects what pages complain about. */
export async function startBrowser(origin) {
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'] })
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  context.setDefaultTimeout(20_000)
  const complaints = []
  context.on('console', (m) => ['error', 'warning'].includes(m.type()) && complaints.push(`console: ${m.text()}`))
  context.on('weberror', (e) => complaints.push(`page: ${e.error().message}`))
  context.on('request', (r) => !r.url().startsWith(origin) && !r.url().startsWith('data:') && complaints.push(`request to ${r.url()}`))
  return { browser, context, complaints }
}

/** shot keeps a picture of the page when somebody wants to look. */
export async function shot(page, name) {
  if (process.env.CHELA_SHOTS) await page.screenshot({ path: join(process.env.CHELA_SHOTS, `${name}.png`) })
}
