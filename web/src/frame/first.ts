import type { QueryClient } from '@tanstack/react-query'
import { agentsQuery } from '../lib/agents'
import { conversationsQuery } from '../lib/conversations'
import { failedQuery } from '../lib/failed'
import { inboxQuery } from '../lib/inbox'
import { layoutsQuery } from '../lib/layouts'
import { meQuery } from '../lib/me'
import { projectsQuery } from '../lib/project'
import { statusQuery } from '../lib/status'
import { personsQuery } from '../lib/who'

/**
 * askFirst asks what the frame shows, while the view's file is on its way. The answers came
 * with the page, so they are there when the frame is drawn.
 */
export function askFirst(queries: QueryClient, project: string | null) {
  void queries.prefetchQuery(statusQuery)
  void queries.prefetchQuery(projectsQuery)
  void queries.prefetchQuery(meQuery)
  void queries.prefetchQuery(agentsQuery)
  void queries.prefetchQuery(personsQuery)
  void queries.prefetchQuery(layoutsQuery)
  void queries.prefetchQuery(failedQuery)
  void queries.prefetchQuery(inboxQuery)
  if (project) void queries.prefetchQuery(conversationsQuery(project))
}
