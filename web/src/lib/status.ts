import { queryOptions } from '@tanstack/react-query'
import { api, must } from '../api/client'

/** statusQuery asks how the daemon is: its models, what runs, what was spent today. */
export const statusQuery = queryOptions({ queryKey: ['run', 'status'], queryFn: () => must(api.GET('/api/status')) })
