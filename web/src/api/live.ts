import type { Query, QueryClient } from '@tanstack/react-query'
import { forget } from './ahead'
import { listen } from './stream'

/** Tick is an ephemeral message beside the log; see internal/stream. */
export type Tick = { thread: string; run: string; agent?: string; kind: string; text?: string; at?: number }

/**
 * follow keeps the queries fresh from the log's stream; stale names those that a type of event makes stale. When the stream was down, whatever
 * was asked before may be stale, or have failed. The first change shows at once, a burst at most every 150 ms.
 */
export function follow(queries: QueryClient, stale: (type: string) => string[], onTick: (t: Tick) => void, onState: (up: boolean) => void): () => void {
  const waiting = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const ask = () => {
    timer = undefined
    if (waiting.size === 0) return
    for (const key of waiting) void queries.invalidateQueries({ queryKey: [key] })
    waiting.clear()
    timer = setTimeout(ask, 150) // what comes meanwhile is asked together
  }
  const refresh = (types: Set<string>) => {
    for (const type of types) for (const key of stale(type)) waiting.add(key)
    if (timer === undefined) ask()
  }
  // An answer that came with the page and is just taken in would count as newer than what changed meanwhile.
  const without = { predicate: (q: Query) => q.state.data === undefined }
  const anew = () => queries.cancelQueries(without).then(() => queries.refetchQueries({ ...without, type: 'active' }))
  const stop = listen((h) => {
    if ((h.rows || h.missed) && forget()) void anew()
    if (h.rows) refresh(new Set(h.rows.map((r) => r.type)))
    if (h.tick) onTick(h.tick)
    if (h.up !== undefined) onState(h.up)
    if (h.missed) void queries.invalidateQueries()
  })
  return () => {
    stop()
    clearTimeout(timer)
  }
}
