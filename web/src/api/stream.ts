import type { Tick } from './live'

/** Heard is what comes from the daemon's stream: a recorded event's type, a tick, or whether the stream is up. */
export type Heard = { type?: string; tick?: Tick; up?: boolean }

/** pause is how long after a refusal the stream is opened again. */
const pause = () => new Promise<void>((done) => setTimeout(done, 5_000))

/** open hears the stream until it is refused for good or gone. EventSource mends breaks by itself, with Last-Event-ID. */
function open(gone: AbortSignal, tell: (h: Heard) => void): Promise<void> {
  return new Promise((done) => {
    const source = new EventSource('/api/events')
    const end = () => {
      source.close()
      done()
    }
    source.addEventListener('log', (e) => tell({ type: (JSON.parse((e as MessageEvent<string>).data) as { type: string }).type }))
    source.addEventListener('tick', (e) => tell({ tick: JSON.parse((e as MessageEvent<string>).data) as Tick }))
    source.onopen = () => tell({ up: true })
    source.onerror = () => {
      tell({ up: false })
      if (source.readyState === EventSource.CLOSED) void pause().then(end)
    }
    gone.addEventListener('abort', end, { once: true })
  })
}

/**
 * listen hears the daemon's stream. Browsers open only six connections to a host, so
 * of all tabs the one with the lock holds the stream and tells the others; when it
 * closes, the next takes over. Where there are no locks (plain http on another host),
 * each tab holds its own.
 */
export function listen(hear: (h: Heard) => void): () => void {
  const stop = new AbortController()
  const gone = stop.signal
  const locks = 'locks' in navigator ? navigator.locks : undefined
  const tabs = locks && new BroadcastChannel('chela-stream')
  let up: boolean | undefined // known to the tab that holds the stream
  const tell = (h: Heard) => {
    up = h.up ?? up
    if (!gone.aborted) tabs?.postMessage(h)
    hear(h)
  }
  if (tabs) {
    tabs.onmessage = (e: MessageEvent<Heard | 'new'>) => {
      if (e.data !== 'new') hear(e.data)
      else if (up !== undefined) tabs.postMessage({ up })
    }
    tabs.postMessage('new')
  }
  const hold = async () => {
    while (!gone.aborted) {
      if (!locks) await open(gone, tell)
      else await locks.request('chela-stream', { signal: gone }, () => open(gone, tell)).catch(() => (gone.aborted ? undefined : pause()))
      up = undefined
    }
  }
  void hold()
  return () => {
    stop.abort()
    tabs?.close()
  }
}
