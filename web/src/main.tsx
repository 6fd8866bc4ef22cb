import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Problem } from './api/client'
import { Shell } from './frame/Shell'
import { askFirst } from './frame/first'
import { now, routerOf } from './frame/store'
import { wear } from './lib/look'
import { fetchAhead } from './routes'
import './style.css'

/** again says whether a failed question is asked once more: not when the daemon refused it. */
const again = (failures: number, e: Error) => failures < 1 && !(e instanceof Problem && e.status < 500)
/** always has questions and changes go out though the computer has no network: the daemon may be on it. */
const always = { networkMode: 'always' } as const
const queries = new QueryClient({ defaultOptions: { queries: { ...always, retry: again, staleTime: 2_000, refetchOnReconnect: true }, mutations: always } })

const view = fetchAhead(location, queries)
askFirst(queries, new URLSearchParams(location.search).get('project'))
wear()
for (const what of ['color-scheme: light', 'contrast: more']) matchMedia(`(prefers-${what})`).addEventListener('change', wear)
const place = document.getElementById('root')
if (!place) throw new Error('index.html has no place for the page')
const draw = () => createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Shell />
    </QueryClientProvider>
  </StrictMode>,
)
void Promise.all([routerOf(now().at).load(), view]).then(draw, draw) // so that the view is drawn with the frame, not after it
