import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Problem } from './api/client'
import { Shell } from './frame/Shell'
import { wear } from './lib/look'
import './style.css'

/** again says whether a failed question is asked once more: not when the daemon refused it. */
const again = (failures: number, e: Error) => failures < 1 && !(e instanceof Problem && e.status < 500)
const queries = new QueryClient({ defaultOptions: { queries: { retry: again, staleTime: 2_000 } } })

wear()
const place = document.getElementById('root')
if (!place) throw new Error('index.html has no place for the page')
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <CSPProvider disableStyleElements>
        <Shell />
      </CSPProvider>
    </QueryClientProvider>
  </StrictMode>,
)
