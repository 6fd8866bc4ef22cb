import { createRootRoute, createRoute, createRouter, Link, Outlet, type RouterHistory, retainSearchParams } from '@tanstack/react-router'
import type { QueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Timed } from './frame/Timed'
import { inProject, type Place, placeNames } from './lib/project'
import { type Part, placeAt, places } from './views'

/** drawn draws what is at a place, a path. */
function drawn(part: Part, to: string): () => ReactNode {
  if (part.of === 'all') return () => <part.Draw />
  const { of, Draw } = part
  return inProject((p) => (of === 'moment' ? <Timed project={p.project} of={to}><Draw project={p.project} /></Timed> : <Draw project={p.project} />))
}

/** atHand is how long answers that came with the page take at most to be read, in milliseconds; those that come later are drawn later. */
const atHand = 100

/**
 * fetchAhead fetches the view at an address, while the frame around it is not drawn yet. What
 * a view asks first is asked then, so that it is drawn once; one that is narrowed asks by itself.
 */
export async function fetchAhead({ pathname, search }: { pathname: string; search: string }, queries: QueryClient) {
  const part = placeAt(pathname)?.part
  const askFirst = await part?.Draw.fetch().catch(() => undefined) // it is fetched again when it is drawn, and what is wrong is said there
  const { project = '', ...more } = Object.fromEntries(new URLSearchParams(search))
  if (!askFirst || (part?.of !== 'all' && project === '') || Object.keys(more).length > 0) return
  await Promise.race([askFirst(queries, project), new Promise((over) => setTimeout(over, atHand))])
}

/** placeOf is the place that an address names; what is no word of a place is left out. */
function placeOf(search: Record<string, unknown>): Place {
  const place: Place = {}
  for (const name of placeNames) {
    const value = search[name]
    if (typeof value === 'string' || typeof value === 'number') place[name] = String(value)
  }
  return place
}

/** makeRouter makes the router of a pane. */
export function makeRouter(history: RouterHistory) {
  const root = createRootRoute({
    component: Outlet,
    notFoundComponent: () => <p className="danger" role="alert">Nothing is at this address. <Link to="/views">All views</Link> are listed, and Ctrl K goes to each.</p>,
    validateSearch: placeOf,
    search: { middlewares: [retainSearchParams<Place>(['project', 'asOf'])] },
  })
  const routes = places.map((p) => createRoute({ getParentRoute: () => root, path: p.to, component: drawn(p.part, p.to) }))
  return createRouter({ routeTree: root.addChildren(routes), history })
}
