import { spawn, spawnSync } from 'node:child_process'
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'

const binary = join(import.meta.dirname, '../../bin/chela')

/** runs says whether this machine may run the file. */
function runs(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** findChromium returns the browser of this machine; none is ever downloaded. */
function findChromium() {
  const named = process.env.CHELA_CHROMIUM
  if (named && runs(named)) return named
  if (named) throw new Error(`CHELA_CHROMIUM names ${named}, which is no program: set it to a browser, or unset it to use the one on PATH.`)
  for (const dir of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
      if (runs(join(dir, name))) return join(dir, name)
    }
  }
  throw new Error('The browser test needs Chromium: install the package chromium, or set CHELA_CHROMIUM to a browser.')
}

/** startDaemon starts the real binary on a folder of its own, in which nothing begins by itself, or the demo; it ends with this process at the latest. */
async function startDaemon(env, command) {
  if (!runs(binary)) throw new Error('The browser test needs bin/chela with the page in it: run `make page-test`.')
  const data = mkdtempSync(join(tmpdir(), 'chela-browser-'))
  const child = spawn(binary, [...command, '--data', data, '--listen', '127.0.0.1:0'], {
    env: { PATH: process.env.PATH, HOME: data, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (d) => {
    said += d
  })
  process.once('exit', () => {
    child.kill('SIGKILL')
    rmSync(data, { recursive: true, force: true })
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  const ended = new Promise((resolve) => child.on('exit', resolve))
  const printed = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => line.startsWith('Open ') && resolve(line.match(/^Open (http\S+)/)?.[1]))
    child.on('exit', (code) => reject(new Error(`The daemon ended with ${code} before it listened:\n${said}`)))
  })
  // Only a demo prints its link where nobody sits before it.
  const login = printed ?? spawnSync(binary, ['login', '--data', data], { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: data } }).stdout.match(/http\S+/)?.[0]
  if (!login) throw new Error(`There is no login link:\n${said}`)
  return {
    login,
    data,
    origin: new URL(login).origin,
    async stop() {
      child.kill('SIGINT')
      await ended
      rmSync(data, { recursive: true, force: true })
    },
  }
}

/** startBrowser starts Chromium; complaints collects what pages complain about. */
async function startBrowser(executablePath, origin) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'] })
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' })
  context.setDefaultTimeout(60_000)
  const complaints = []
  context.on('console', (m) => ['error', 'warning'].includes(m.type()) && complaints.push(`console: ${m.text()}`))
  context.on('weberror', (e) => complaints.push(`page: ${e.error().message}`))
  context.on('response', async (r) => r.status() >= 500 && complaints.push(`${r.status()} ${r.request().method()} ${r.url()}: ${await r.text()}`))
  context.on('request', (r) => !r.url().startsWith(origin) && !r.url().startsWith('data:') && complaints.push(`request to ${r.url()}`))
  return { browser, context, complaints }
}

/** startWorld starts a daemon, with more in its environment, a browser and a page; stop ends them. command is what the binary is told. */
export async function startWorld(env = {}, command = ['serve', '--no-schedules']) {
  const program = findChromium()
  const daemon = await startDaemon(env, command)
  const { browser, context, complaints } = await startBrowser(program, daemon.origin).catch(async (e) => {
    await daemon.stop()
    throw e
  })
  return {
    daemon,
    browser,
    context,
    complaints,
    page: await context.newPage(),
    at: (path) => daemon.origin + path,
    async stop() {
      await browser.close()
      await daemon.stop()
    },
  }
}

/** startDesk starts a world with a project of this name that took in these documents, and shows it. */
export async function startDesk({ env = {}, files = [], name = 'Payments' } = {}) {
  const world = await startWorld(env)
  try {
    await world.page.goto(world.daemon.login)
    const project = await makeProject(world.page, name)
    if (files.length > 0) await takeIn(world.page, files)
    return { ...world, project }
  } catch (e) {
    await world.stop()
    throw e
  }
}

/** startDemo starts a world with the demo, whose person has left the tour, and shows it. */
export async function startDemo() {
  const world = await startWorld({}, ['demo'])
  try {
    await world.page.goto(world.daemon.login)
    await world.page.getByText('live', { exact: true }).waitFor()
    await world.page.request.put(world.at('/api/me/tour'), { data: { step: 1, over: true }, headers: { Origin: world.daemon.origin } })
    const projects = await (await world.page.request.get(world.at('/api/projects'))).json()
    return { ...world, project: projects.items[0].id }
  } catch (e) {
    await world.stop()
    throw e
  }
}

/** views are the paths of all views. */
export const views = ['/today', '/', '/threads', '/tickets', '/people', '/objectives', '/sprint', '/report', '/plan', '/checklists', '/reminders', '/links', '/ideas', '/deltas', '/blindspots', '/search', '/ask', '/project', '/inbox', '/chat', '/runs', '/approvals', '/schedules', '/memory', '/agents', '/start', '/models', '/users', '/budgets', '/vault', '/channels', '/hooks', '/policy', '/log', '/skills', '/workflows', '/doors', '/charts']

/** today is the day on which the tests read the demo's documents, whose days are distances such as {{-5}}. */
const today = Date.UTC(2026, 2, 11)

/** demo is the path of a document of the demo project, with its days written out. */
export function demo(name) {
  const folder = join(tmpdir(), `chela-demo-${process.pid}`)
  if (mkdirSync(folder, { recursive: true })) process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const text = readFileSync(join(import.meta.dirname, '../../demo', name), 'utf8')
  writeFileSync(join(folder, name), text.replace(/\{\{(-?\d+)\}\}/g, (_, days) => new Date(today + days * 86_400_000).toISOString().slice(0, 10)))
  return join(folder, name)
}

/** makeProject makes a project as a person does, waits until it is the chosen one, and says its id. */
export async function makeProject(page, name) {
  const field = page.getByLabel('Name of the project')
  const more = page.getByLabel('New project')
  const first = page.getByRole('button', { name: 'Go on without a model' }).or(page.getByLabel('What the project is called'))
  await more.or(first).first().waitFor()
  if (await first.isVisible()) return makeFirst(page, name)
  if (!(await field.isVisible())) await more.click()
  const make = page.getByRole('button', { name: 'Create', exact: true })
  for (let tries = 0; tries < 5 && !(await make.isEnabled()); tries++) await field.fill(name) // the page may be drawn anew meanwhile
  await make.click()
  await page.waitForFunction((want) => document.querySelector('select[aria-label=Project]')?.selectedOptions[0]?.text === want, name)
  return page.getByLabel('Project', { exact: true }).inputValue()
}

/** makeFirst makes the first project, to which one is led, and goes to its intake. */
async function makeFirst(page, name) {
  const without = page.getByRole('button', { name: 'Go on without a model' })
  if (await without.isVisible()) await without.click()
  await page.getByLabel('What the project is called').fill(name)
  await page.keyboard.press('Enter')
  await page.getByLabel('The first minutes').waitFor()
  const project = new URL(page.url()).searchParams.get('project')
  await page.goto(new URL(`/?project=${project}`, page.url()).href)
  await page.getByLabel('Files').waitFor({ state: 'attached' })
  return project
}

/** takeIn takes in documents of the demo project as a person does. */
export async function takeIn(page, files) {
  await page.getByLabel('Files').setInputFiles(files.map(demo))
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await takenIn(page, 1)
}

/** drop drops a file on the intake as a person does, from the file manager. */
export async function drop(page, name, bytes) {
  const files = await page.evaluateHandle(
    ([named, content]) => {
      const data = new DataTransfer()
      data.items.add(new File([Uint8Array.from(content)], named))
      return data
    },
    [name, [...bytes]],
  )
  const place = page.getByLabel('Content to import')
  await place.dispatchEvent('dragover', { dataTransfer: files })
  await place.dispatchEvent('drop', { dataTransfer: files })
}

/** takenIn waits until so many intakes have gone through every phase. */
export const takenIn = (page, n) => page.waitForFunction((want) => document.querySelectorAll('article[data-status=DISPATCHED]').length === want, n)

/** goTo opens a view from the navigation, or by its name when it is not there. */
export async function goTo(page, view) {
  const link = page.getByRole('navigation').getByRole('link', { name: new RegExp(`^${view}`) })
  const begun = await page.evaluate(() => fetch('/api/projects?limit=1').then((r) => r.json()).then((p) => p.items.length > 0)) // before, there is no navigation
  if (begun) await page.getByRole('navigation').getByRole('link', { name: /^All views/ }).waitFor()
  if (!begun) await page.goto(new URL(`/${view.toLowerCase()}`, page.url()).href)
  else if (await link.count()) await link.click()
  else {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Command' }).fill(view)
    await page.getByRole('option').filter({ hasText: view }).first().waitFor()
    await page.keyboard.press('Enter')
  }
  await page.locator('main h2').filter({ hasText: view }).waitFor()
}

/** shot keeps a picture of the page in $CHELA_SHOTS when somebody wants to look. */
export async function shot(page, name) {
  const folder = process.env.CHELA_SHOTS
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`) })
}
