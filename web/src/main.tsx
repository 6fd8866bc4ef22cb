import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRootRoute, createRoute, createRouter, RouterProvider, retainSearchParams } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Problem } from './api/client'
import { wear } from './lib/look'
import { inProject, type Place, placeNames } from './lib/project'
import { Approvals } from './pages/Approvals'
import { Ask } from './pages/Ask'
import { Blindspots } from './pages/Blindspots'
import { Budgets } from './pages/Budgets'
import { Chat } from './pages/Chat'
import { Hooks } from './pages/Hooks'
import { Intake } from './pages/Intake'
import { Memory } from './pages/Memory'
import { Models } from './pages/Models'
import { People } from './pages/People'
import { Notes, Plan } from './pages/Plan'
import { Policy } from './pages/Policy'
import { Project } from './pages/Project'
import { Objectives, Record as DeskRecord, Threads } from './pages/Records'
import { Reconcile } from './pages/Reconcile'
import { Run, Runs } from './pages/Runs'
import { Schedules } from './pages/Schedules'
import { Search } from './pages/Search'
import { Agents, Log } from './pages/System'
import { Tickets } from './pages/tickets/Tickets'
import { Today } from './pages/Today'
import { Users } from './pages/Users'
import { Vault } from './pages/Vault'
import { Shell } from './frame/Shell'
import './style.css'

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => <p className="bad" role="alert">Nothing is at this address. Choose a view on the page.</p>,
  validateSearch: (search: Record<string, unknown>): Place => {
    const place: Place = {}
    for (const name of placeNames) {
      const value = search[name]
      if (typeof value === 'string' || typeof value === 'number') place[name] = String(value)
    }
    return place
  },
  search: { middlewares: [retainSearchParams<Place>(['project'])] },
})
const pages = [
  ['/today', inProject(Today)], ['/', inProject(Intake)], ['/threads', inProject(Threads)], ['/tickets', inProject(Tickets)], ['/people', inProject(People)],
  ['/objectives', inProject(Objectives)], ['/plan', inProject(Plan)], ['/notes', inProject(Notes)], ['/search', inProject(Search)],
  ['/deltas', inProject(Reconcile)], ['/blindspots', inProject(Blindspots)], ['/project', inProject(Project)], ['/ask', inProject(Ask)], ['/chat', Chat],
  ['/memory', Memory], ['/runs', Runs], ['/runs/$id', Run], ['/approvals', Approvals], ['/schedules', Schedules], ['/records/$id', DeskRecord], ['/agents', Agents],
  ['/models', Models], ['/users', Users], ['/budgets', Budgets], ['/vault', Vault], ['/hooks', Hooks], ['/policy', Policy], ['/log', Log],
] as const
const router = createRouter({
  routeTree: root.addChildren(pages.map(([path, component]) => createRoute({ getParentRoute: () => root, path, component }))),
})
/** again says whether a failed question is asked once more: not when the daemon refused it. */
const again = (failures: number, e: Error) => failures < 1 && !(e instanceof Problem && e.status < 500)
const queries = new QueryClient({ defaultOptions: { queries: { retry: again, staleTime: 2_000 } } })

wear()
const place = document.getElementById('root')
if (!place) throw new Error('index.html has no place for the page')
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>
  </StrictMode>,
)
