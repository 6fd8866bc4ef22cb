import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Ask } from './pages/Ask'
import { Chat } from './pages/Chat'
import { Intake } from './pages/Intake'
import { People } from './pages/People'
import { Deltas, Objectives, Record, Threads, Tickets } from './pages/Records'
import { Run, Runs } from './pages/Runs'
import { Agents, Log } from './pages/System'
import { Shell } from './ui/Shell'
import './style.css'

const root = createRootRoute({ component: Shell })
const pages = [
  ['/', Intake], ['/threads', Threads], ['/tickets', Tickets], ['/people', People], ['/objectives', Objectives], ['/deltas', Deltas],
  ['/ask', Ask], ['/chat', Chat], ['/runs', Runs], ['/runs/$id', Run], ['/records/$id', Record], ['/agents', Agents], ['/log', Log],
] as const
const router = createRouter({
  routeTree: root.addChildren(pages.map(([path, component]) => createRoute({ getParentRoute: () => root, path, component }))),
})
const queries = new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 2_000 } } })

const place = document.getElementById('root')
if (!place) throw new Error('index.html has no place for the page')
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>
  </StrictMode>,
)
