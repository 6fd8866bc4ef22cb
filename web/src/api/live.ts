import type { Query, QueryClient } from '@tanstack/react-query'
import { forget } from './ahead'
import { listen } from './stream'

/** Tick is an ephemeral message beside the log; see internal/stream. */
export type Tick = { thread: string; run: string; agent?: string; sort: string; text?: string; at?: number }

/** stale maps the type of a recorded event to the queries that it makes stale. */
export function stale(type: string): string[] {
  const [space, kind] = type.split('.')
  switch (space) {
    case 'desk':
      if (kind === 'assignment') return ['assignment', 'ticket', 'counts', 'capacity', 'record'] // a ticket's row names its owner
      return [kind ?? '', 'counts', 'capacity', 'record']
    case 'model':
      return kind === 'configured' || kind === 'rotated' || kind === 'chosen' ? ['model', 'run'] : ['run', 'approval']
    case 'run':
    case 'task':
      return ['run', 'approval', 'budget', 'agent'] // an agent's work
    case 'tool':
    case 'routing':
    case 'approval':
      return ['run', 'approval', 'budget']
    case 'chat':
      return ['conversation', 'message']
    case 'session':
      return kind === 'edited' || kind === 'deleted' || kind === 'reacted' || kind === 'transcribed' ? ['conversation', 'message'] : ['conversation']
    case 'schedule':
      return ['schedule']
    case 'agent':
    case 'org':
      return kind === 'layout' ? ['layout'] : ['agent', 'person']
    case 'budget':
      return ['budget']
    case 'vault':
      return ['vault']
    case 'hook':
      return ['hook']
    case 'channel':
      return ['channel']
    case 'policy':
    case 'guard':
      return ['policy', 'vault']
    default:
      return []
  }
}

/**
 * follow keeps the queries fresh from the log's stream. When the stream was down, whatever
 * was asked before may be stale, or have failed. The first change shows at once, a burst at most every 150 ms.
 */
export function follow(queries: QueryClient, onTick: (t: Tick) => void, onState: (up: boolean) => void): () => void {
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
