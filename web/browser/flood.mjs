/** alike are tickets that differ in their number alone. */
const alike = { head: 'Key,Title,Status,Priority', row: (i) => `F-${i},Ticket number ${i},TODO,MEDIUM` }

/** seedTickets takes in an export of so many tickets, whose head and rows are told, and returns their ids. */
export async function seedTickets(request, at, project, n, { head, row } = alike) {
  const csv = [head, ...Array.from({ length: n }, (_, i) => row(i))].join('\n')
  const headers = { Origin: new URL(at('/')).origin }
  const { intakeId } = await (await request.post(at('/api/intake'), { headers, data: { projectId: project, files: [{ name: 'tickets.csv', data: Buffer.from(csv).toString('base64') }] } })).json()
  for (let state = ''; state !== 'DISPATCHED'; ) {
    const list = await (await request.get(at(`/api/projects/${project}/intakes?limit=20`))).json()
    state = list.items.find((r) => r.id === intakeId)?.body.status
    if (state === 'FAILED') throw new Error('the tickets were not taken in')
  }
  const ids = []
  for (let cursor = ''; ids.length < n; ) {
    const page = await (await request.get(at(`/api/projects/${project}/tickets?limit=500&cursor=${encodeURIComponent(cursor)}`))).json()
    ids.push(...page.items.map((t) => t.id))
    if (!page.next) break
    cursor = page.next
  }
  return ids
}

/**
 * flood records so many events a second, by edits of many tickets at once, until stop is
 * called; that returns how many it recorded and in how long.
 */
export function flood(request, at, project, ids, perSecond) {
  const size = Math.min(ids.length, Math.max(1, Math.round(perSecond / 5)))
  const headers = { Origin: new URL(at('/')).origin }
  let going = true
  let done = 0
  const began = performance.now()
  const all = (async () => {
    for (let i = 0; going; i++) {
      const from = (i * size) % ids.length
      const some = ids.slice(from, from + size)
      const round = Math.floor((i * size) / ids.length)
      const res = await request.post(at(`/api/projects/${project}/tickets/bulk`), { headers, data: { ids: some, set: { priority: round % 2 === 0 ? 'HIGH' : 'LOW' } } })
      if (!res.ok()) throw new Error(await res.text())
      done += (await res.json()).changed?.length ?? 0
      const early = (done / perSecond) * 1000 - (performance.now() - began)
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
    }
    return { events: done, seconds: (performance.now() - began) / 1000 }
  })()
  return {
    stop() {
      going = false
      return all
    },
  }
}

/** keys presses a key so many times and returns how long each took until the page had drawn its answer, in milliseconds. */
export async function keys(page, key, times, every = 50) {
  await page.evaluate(() => {
    globalThis.chelaKeys = []
    if (globalThis.chelaListens) return
    globalThis.chelaListens = true
    addEventListener('keydown', (e) => {
      const drawn = new MessageChannel()
      drawn.port1.onmessage = () => globalThis.chelaKeys.push(performance.now() - e.timeStamp)
      requestAnimationFrame(() => drawn.port2.postMessage(0)) // after the frame
    }, true)
  })
  for (let i = 0; i < times; i++) {
    await page.keyboard.press(key)
    await page.waitForFunction((n) => globalThis.chelaKeys.length >= n, i + 1)
    await page.evaluate((ms) => new Promise((resolve) => setTimeout(resolve, ms)), every)
  }
  return page.evaluate(() => globalThis.chelaKeys.sort((a, b) => a - b))
}

/** heap is what the page holds after it was cleaned up, in MB. */
export async function heap(page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('HeapProfiler.enable')
  await cdp.send('HeapProfiler.collectGarbage')
  const { usedSize } = await cdp.send('Runtime.getHeapUsage')
  await cdp.detach()
  return usedSize / 1e6
}

/** quantile is the value below which that share of sorted values lies. */
export const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN

/** frames is how long each frame took while something was done, in milliseconds, shortest first, and how much processor time of the page's thread one took. */
export async function frames(page, doing) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  const worked = async () => (await cdp.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value * 1000
  await page.evaluate(() => {
    globalThis.chelaFrames = []
    let was
    const step = (now) => {
      if (was) globalThis.chelaFrames.push(now - was)
      was = now
      if (globalThis.chelaFrames) requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })
  const before = await worked()
  await doing()
  const work = (await worked()) - before
  const all = await page.evaluate(() => {
    const taken = globalThis.chelaFrames
    globalThis.chelaFrames = undefined
    return taken.sort((a, b) => a - b)
  })
  await cdp.detach()
  return { all, work: work / all.length }
}
