import type { Schemas } from './client'
import type { Tick } from './live'

/** Row is what a list of events shows of one: all but the payload, of which brief is the beginning. */
export type Row = Pick<Schemas['Logged'], 'seq' | 'at' | 'type' | 'from' | 'stream'> & { thread: string; run: string; brief: string }

/**
 * Heard is what comes from the daemon's stream: recorded events, a tick, or whether the
 * stream is up, and with it the newest event that the tab which holds it has heard.
 */
export type Heard = { rows?: Row[]; tick?: Tick; up?: boolean; at?: number }

/** begun is where the log ended when the daemon gave this page; 0 when it did not say. */
const begun = () => Number(document.querySelector('meta[name=chela-log]')?.getAttribute('content')) || 0

/** pause is how long after a refusal the stream is opened again. */
const pause = () => new Promise<void>((done) => setTimeout(done, 5_000))

/** gather is how long events are gathered after some were told, in milliseconds. */
const gather = 40

const briefly = 200 // characters of a payload

/** rowOf is what a list shows of an event. */
export function rowOf(e: Schemas['Logged'], payload = JSON.stringify(e.payload) ?? ''): Row {
  return { seq: e.seq, at: e.at, type: e.type, from: e.from, stream: e.stream, thread: e.thread_id, run: e.run_id, brief: payload.slice(0, briefly) }
}

/** read is the row of an event as the stream sends it. */
function read(data: string): Row {
  const at = data.indexOf('"payload":')
  return rowOf(JSON.parse(data) as Schemas['Logged'], at < 0 ? '' : data.slice(at + '"payload":'.length))
}

/**
 * open hears the stream until it is refused for good or gone, from an event on that was seen
 * last. EventSource mends breaks by itself, with Last-Event-ID.
 */
function open(gone: AbortSignal, after: number, tell: (h: Heard) => void): Promise<void> {
  return new Promise((done) => {
    const source = new EventSource(after > 0 ? `/api/events?after=${after}` : '/api/events')
    let rows: Row[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const give = () => {
      timer = undefined
      if (rows.length === 0) return
      const some = rows
      rows = []
      timer = setTimeout(give, gather)
      tell({ rows: some })
    }
    const end = () => {
      clearTimeout(timer)
      source.close()
      done()
    }
    source.addEventListener('log', (e) => {
      rows.push(read((e as MessageEvent<string>).data))
      if (timer === undefined) give()
    })
    source.addEventListener('tick', (e) => tell({ tick: JSON.parse((e as MessageEvent<string>).data) as Tick }))
    source.onopen = () => tell({ up: true })
    source.onerror = () => {
      tell({ up: false })
      if (source.readyState === EventSource.CLOSED) void pause().then(end)
    }
    gone.addEventListener('abort', end, { once: true })
  })
}

/** watching are the views that want every event. */
const watching = new Set<(h: Heard) => void>()

/** watch hears every event that is recorded, and when the stream is up. */
export function watch(hear: (h: Heard) => void): () => void {
  watching.add(hear)
  return () => void watching.delete(hear)
}

/**
 * listen hears the daemon's stream. Browsers open only six connections to a host, so
 * of all tabs the one with the lock holds the stream and tells the others; when it
 * closes, the next takes over where it stood. Where there are no locks (plain http on
 * another host), each tab holds its own. No event is told twice. The stream begins where the
 * log ended when the page came; missed says, when it is up, that something may have been
 * missed since what was asked before: it was down, or another tab has heard more.
 */
export function listen(hear: (h: Heard & { missed?: boolean }) => void): () => void {
  const stop = new AbortController()
  const gone = stop.signal
  const locks = 'locks' in navigator ? navigator.locks : undefined
  const tabs = locks && new BroadcastChannel('chela-stream')
  let up: boolean | undefined // known to the tab that holds the stream
  let last = begun() // the newest event that was heard
  let whole = last > 0 // nothing was missed since
  const take = (h: Heard) => {
    const rows = h.rows?.filter((r) => r.seq > last)
    if (h.rows && !rows?.length) return
    last = rows?.at(-1)?.seq ?? last
    if (h.up === false) whole = false
    const fresh = rows ? { ...h, rows } : h.up ? { ...h, missed: !whole || (h.at ?? 0) > last } : h
    if (h.up) whole = true
    last = Math.max(last, h.at ?? 0)
    hear(fresh)
    for (const w of watching) w(fresh)
  }
  const tell = (h: Heard) => {
    up = h.up ?? up
    if (!gone.aborted) tabs?.postMessage(h)
    take(h)
  }
  if (tabs) {
    tabs.onmessage = (e: MessageEvent<Heard | 'new'>) => {
      if (e.data !== 'new') take(e.data)
      else if (up !== undefined) tabs.postMessage({ up, at: last })
    }
    tabs.postMessage('new')
  }
  const hold = async () => {
    while (!gone.aborted) {
      if (!locks) await open(gone, last, tell)
      else await locks.request('chela-stream', { signal: gone }, () => open(gone, last, tell)).catch(() => (gone.aborted ? undefined : pause()))
      up = undefined
    }
  }
  void hold()
  return () => {
    stop.abort()
    tabs?.close()
  }
}
