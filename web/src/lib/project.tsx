import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, must } from '../api/client'
import { State } from '../ui/State'

/** Place is what the address says beside the path. The project is kept from view to view. */
export const placeNames = ['project', 'thread', 'q', 'status', 'filter', 'severity', 'scope', 'pack', 'form', 'person', 'sprint', 'asOf', 'since', 'type', 'agent', 'run', 'sort', 'chart', 'span', 'version'] as const
export type Place = { [name in (typeof placeNames)[number]]?: string }

/** useAddress is what the address of the pane says now, inside of a view and outside. */
function useAddress(): Place {
  return useRouterState({ select: (s) => (s.matches.at(-1)?.search ?? {}) as Place })
}

/** useWord is one word of the address that a view is narrowed by, and how to change it; the others stay. */
export function useWord(name: Exclude<(typeof placeNames)[number], 'project' | 'thread'>): [string, (to: string) => void] {
  const navigate = useNavigate()
  const place = useAddress()
  return [place[name] ?? '', (to) => void navigate({ to: '.', search: (now: Place) => ({ ...now, [name]: to === '' ? undefined : to }), replace: true } as never)]
}

/** usePlace is the address's place, and how to go to another one on the same view. */
export function usePlace(): [Place, (to: Place) => void] {
  const navigate = useNavigate()
  return [useAddress(), (search) => void navigate({ to: '.', search } as never)]
}

/** projectsQuery asks for the projects. */
export const projectsQuery = queryOptions({ queryKey: ['project'], queryFn: () => must(api.GET('/api/projects', { params: { query: { limit: 500 } } })) })

/** useProjects lists the projects. */
export function useProjects() {
  return useQuery(projectsQuery)
}

/** useProject is the project that the address names, else the first active one. */
export function useProject(): string {
  const [place] = usePlace()
  const { data } = useProjects()
  const items = data?.items ?? []
  return place.project ?? (items.find((p) => p.body.status === 'ACTIVE') ?? items[0])?.id ?? ''
}

/** inProject gives a page its project; another project starts the page anew. */
export function inProject(Page: (p: { project: string }) => ReactNode) {
  return function InProject() {
    const project = useProject()
    const { isPending, error } = useProjects()
    const none = project === ''
    return (
      <State pending={none && isPending} error={none ? error : null} empty={none} hint={<>Make a project first: <Link to="/start">begin here</Link>.</>}>
        <Page key={project} project={project} />
      </State>
    )
  }
}
