import { createRootRoute, createRoute, createRouter, Outlet, type RouterHistory, retainSearchParams } from '@tanstack/react-router'
import type { QueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Timed } from './frame/Timed'
import { type Ask, type Load, later } from './lib/later'
import { inProject, type Place, placeNames } from './lib/project'

/** View is what is at a place, whether it is of a project, and how it is fetched before it is drawn. */
type View = { fetch: () => Promise<Ask | undefined>; ofProject: boolean; draw: () => ReactNode }

/** part is a view that is fetched when it is first shown. */
function part<Name extends string>(load: Load<Name, object>, name: Name): View {
  const Part = later(load, name)
  return { fetch: Part.fetch, ofProject: false, draw: () => <Part /> }
}

/** desk is a view of one project. */
function desk<Name extends string>(load: Load<Name, { project: string }>, name: Name): View {
  const Part = later(load, name)
  return { fetch: Part.fetch, ofProject: true, draw: inProject((p) => <Part project={p.project} />) }
}

/** timed is a view of one project that can show an earlier moment, and what changed since. */
function timed<Name extends string>(load: Load<Name, { project: string }>, name: Name): View {
  const Part = later(load, name)
  return { fetch: Part.fetch, ofProject: true, draw: inProject((p) => <Timed project={p.project}><Part project={p.project} /></Timed>) }
}

/** pages are the places of the page. */
const pages: { [path: string]: View } = {
  '/today': timed(() => import('./pages/Today'), 'Today'),
  '/': part(() => import('./pages/Home'), 'Home'),
  '/start': part(() => import('./pages/start/Start'), 'Start'),
  '/threads': desk(() => import('./pages/threads/Threads'), 'Threads'),
  '/tickets': timed(() => import('./pages/tickets/Tickets'), 'Tickets'),
  '/people': timed(() => import('./pages/People'), 'People'),
  '/objectives': timed(() => import('./pages/Objectives'), 'Objectives'),
  '/sprint': timed(() => import('./pages/Sprint'), 'Sprint'),
  '/plan': timed(() => import('./pages/plan/Plan'), 'Plan'),
  '/checklists': timed(() => import('./pages/Checklists'), 'Checklists'),
  '/reminders': timed(() => import('./pages/Reminders'), 'Reminders'),
  '/links': timed(() => import('./pages/Links'), 'Links'),
  '/ideas': timed(() => import('./pages/Ideas'), 'Ideas'),
  '/deltas': timed(() => import('./pages/Reconcile'), 'Reconcile'),
  '/blindspots': timed(() => import('./pages/Blindspots'), 'Blindspots'),
  '/search': desk(() => import('./pages/Search'), 'Search'),
  '/ask': desk(() => import('./pages/Ask'), 'Ask'),
  '/project': desk(() => import('./pages/Project'), 'Project'),
  '/chat': part(() => import('./pages/chat/Chat'), 'Chat'),
  '/runs': part(() => import('./pages/runs/Runs'), 'Runs'),
  '/runs/$id': part(() => import('./pages/runs/Run'), 'Run'),
  '/approvals': part(() => import('./pages/approvals/Approvals'), 'Approvals'),
  '/schedules': part(() => import('./pages/schedules/Schedules'), 'Schedules'),
  '/memory': part(() => import('./pages/Memory'), 'Memory'),
  '/agents': part(() => import('./pages/agents/Agents'), 'Agents'),
  '/records/$id': part(() => import('./pages/records/Record'), 'Record'),
  '/models': part(() => import('./pages/Models'), 'Models'),
  '/users': part(() => import('./pages/Users'), 'Users'),
  '/channels': part(() => import('./pages/channels/Channels'), 'Channels'),
  '/budgets': part(() => import('./pages/Budgets'), 'Budgets'),
  '/vault': part(() => import('./pages/Vault'), 'Vault'),
  '/hooks': part(() => import('./pages/Hooks'), 'Hooks'),
  '/policy': part(() => import('./pages/Policy'), 'Policy'),
  '/log': part(() => import('./pages/log/Log'), 'Log'),
}

/** atHand is how long answers that came with the page take at most to be read, in milliseconds; those that come later are drawn later. */
const atHand = 100

/**
 * fetchAhead fetches the view at an address, while the frame around it is not drawn yet. What
 * a view asks first is asked then, so that it is drawn once; one that is narrowed asks by itself.
 */
export async function fetchAhead({ pathname, search }: { pathname: string; search: string }, queries: QueryClient) {
  const view = pages[pathname] ?? pages[pathname.replace(/[^/]+$/, '$id')]
  const askFirst = await view?.fetch().catch(() => undefined) // it is fetched again when it is drawn, and what is wrong is said there
  const { project = '', ...more } = Object.fromEntries(new URLSearchParams(search))
  if (!askFirst || (view?.ofProject && project === '') || Object.keys(more).length > 0) return
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
    notFoundComponent: () => <p className="bad" role="alert">Nothing is at this address. Choose a view on the page.</p>,
    validateSearch: placeOf,
    search: { middlewares: [retainSearchParams<Place>(['project', 'asOf'])] },
  })
  const routes = Object.entries(pages).map(([path, view]) => createRoute({ getParentRoute: () => root, path, component: view.draw }))
  return createRouter({ routeTree: root.addChildren(routes), history })
}
