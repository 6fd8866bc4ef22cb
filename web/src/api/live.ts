import type { QueryClient } from '@tanstack/react-query'

/** Tick is an ephemeral message beside the log; see internal/stream. */
export type Tick = { thread: string; run: string; agent?: string; sort: string; text?: string }

/** stale maps the type of a recorded event to the queries that it makes stale. */
export function stale(type: string): string[] {
  const [space, kind] = type.split('.')
  switch (space) {
    case 'desk':
      return [kind ?? '', 'counts', 'capacity', 'record']
    case 'run':
    case 'task':
    case 'tool':
    case 'model':
    case 'routing':
    case 'approval':
      return ['run', 'approval']
    case 'chat':
    case 'session':
      return ['conversation']
    case 'agent':
    case 'org':
      return ['agent', 'person']
    default:
      return []
  }
}

/**
 * follow keeps the queries fresh from the log's stream. EventSource takes up where it
 * stopped by itself, with Last-Event-ID, so nothing is missed after a break.
 */
export function follow(queries: QueryClient, onTick: (t: Tick) => void, onState: (up: boolean) => void): () => void {
  const source = new EventSource('/api/events')
  const waiting = new Set<string>(['log'])
  let timer: ReturnType<typeof setTimeout> | undefined
  source.addEventListener('log', (e) => {
    const { type } = JSON.parse((e as MessageEvent<string>).data) as { type: string }
    for (const key of stale(type)) waiting.add(key)
    timer ??= setTimeout(() => {
      timer = undefined
      for (const key of [...waiting]) void queries.invalidateQueries({ queryKey: [key] })
      waiting.clear()
      waiting.add('log')
    }, 150)
  })
  source.addEventListener('tick', (e) => onTick(JSON.parse((e as MessageEvent<string>).data) as Tick))
  source.onopen = () => onState(true)
  source.onerror = () => onState(false)
  return () => {
    source.close()
    clearTimeout(timer)
  }
}
