import { createMemoryHistory } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { makeRouter } from '../routes'
import { type Desk, leaves, parse, format, went } from './desk'

type Router = ReturnType<typeof makeRouter>

const here = () => location.pathname + location.search
let desk = parse(here())
const routers = new Map<string, Router>()
const hearing = new Set<() => void>()

/** routerOf is the router of a pane: each has an address of its own. */
export function routerOf(pane: string): Router {
  const had = routers.get(pane)
  if (had) return had
  const router = makeRouter(createMemoryHistory({ initialEntries: [desk.hrefs[pane] ?? '/'] }))
  router.history.subscribe(({ location: to, action }) => {
    if (routers.get(pane) === router && desk.hrefs[pane] !== to.href) change((d) => went(d, pane, to.href), action.type === 'PUSH' ? 'push' : 'replace')
  })
  routers.set(pane, router)
  return router
}

/** change changes the desk: what it shows goes there, and the window's address says so. */
export function change(to: (now: Desk) => Desk, how: 'push' | 'replace' | 'back' = 'replace') {
  const next = to(desk)
  if (next === desk) return
  desk = next
  const panes = leaves(desk.tree)
  for (const pane of routers.keys()) if (!panes.includes(pane)) routers.delete(pane)
  for (const [pane, router] of routers) {
    const href = desk.hrefs[pane]
    if (href !== undefined && router.history.location.href !== href) router.history.replace(href)
  }
  const address = format(desk)
  if (how === 'push' && address !== here()) history.pushState(null, '', address)
  else if (how !== 'back') history.replaceState(null, '', address)
  for (const hear of hearing) hear()
}

/** show shows the desk that an address names; the panes that are there stay what they are. */
export function show(address: string, how: 'push' | 'back') {
  change((now) => parse(address, leaves(now.tree)), how)
}

addEventListener('popstate', () => show(here(), 'back'))

const hear = (h: () => void) => {
  hearing.add(h)
  return () => void hearing.delete(h)
}

/** now is what the window shows at this instant. */
export function now(): Desk {
  return desk
}

/** useDesk is what the window shows now. */
export function useDesk(): Desk {
  return useSyncExternalStore(hear, () => desk)
}
