import { createMemoryHistory } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { mayLeave, elsewhere } from '../lib/unsaved'
import { makeRouter } from '../routes'
import { type Desk, leaves, parse, format, went } from './desk'
import { paced } from './paced'

type Router = ReturnType<typeof makeRouter>

const here = () => location.pathname + location.search
let desk = parse(here())
const routers = new Map<string, Router>()
const hearing = new Set<() => void>()

/** bar is the address of the step of the history that is shown. */
const bar = paced((to) => history.replaceState(null, '', to))

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

/** left says whether a pane goes, or is sent elsewhere; one whose own link was followed is there already. */
const left = (pane: string, to: string | undefined, panes: string[]) => !panes.includes(pane) || (to !== undefined && elsewhere(routerOf(pane).history.location.href, to))

/** change changes the desk: what it shows goes there, and the window's address says so. */
export function change(by: (now: Desk) => Desk, how: 'push' | 'replace' | 'back' = 'replace') {
  const next = by(desk)
  if (next === desk) return
  const panes = leaves(next.tree)
  if (!mayLeave([...routers.keys()].filter((pane) => left(pane, next.hrefs[pane], panes)))) {
    if (how === 'back') history.pushState(null, '', format(desk))
    return
  }
  desk = next
  for (const pane of routers.keys()) if (!panes.includes(pane)) routers.delete(pane)
  for (const [pane, router] of routers) {
    const href = desk.hrefs[pane]
    if (href !== undefined && router.history.location.href !== href) router.history.replace(href, undefined, { ignoreBlocker: true }) // it was asked above
  }
  const to = format(desk)
  if (how === 'push') bar.flush()
  if (how === 'push' && to !== here()) history.pushState(null, '', to)
  else if (how !== 'back') bar.say(to)
  for (const hear of hearing) hear()
}

/** show shows the desk that an address names; the panes that are there stay what they are. */
export function show(address: string, how: 'push' | 'back') {
  change((now) => parse(address, leaves(now.tree)), how)
}

addEventListener('popstate', () => {
  bar.drop() // it was of the step that is left
  show(here(), 'back')
})
for (const leaving of ['pagehide', 'visibilitychange']) addEventListener(leaving, bar.flush)

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
