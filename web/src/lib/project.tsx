import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, must } from '../api/client'
import { State } from '../ui/State'

/** Place is what the address says beside the path. The project is kept from view to view. */
export const placeNames = ['project', 'thread', 'q', 'draft', 'status', 'filter', 'severity', 'scope', 'pack', 'form', 'person', 'sprint', 'asOf', 'since', 'type', 'agent', 'run', 'sort', 'chart', 'span', 'version'] as const
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

type Listed = { id: string; body: { name: string; status: string } }

/** nameAmong is the name of a project where there are several; of the only one nobody has to be told. */
export const nameAmong = (all: Listed[], id: string | undefined): string => (all.length > 1 ? (all.find((p) => p.id === id)?.body.name ?? '') : '')

const lastKey = 'chela-project'
let last: string | undefined

/** lastProject is the project that was worked in last on this browser when the page was opened: what another tab does later changes nothing here. */
export function lastProject(): string {
  last ??= localStorage.getItem(lastKey) ?? ''
  return last
}

/** keepProject keeps which project is worked in, for the next page that opens without one. One that is not active is looked at, not worked in. */
export function keepProject(id: string, all: Listed[]) {
  if (all.some((p) => p.id === id && p.body.status === 'ACTIVE')) localStorage.setItem(lastKey, id)
}

/** projectOf is the project that the address names, else the one that was worked in last, else the first active one. */
export function projectOf(named: string | undefined, all: Listed[], worked: string): string {
  const active = all.filter((p) => p.body.status === 'ACTIVE')
  return named ?? (active.find((p) => p.id === worked) ?? active[0] ?? all[0])?.id ?? ''
}

/** useProject is the project of the view: see projectOf. */
export function useProject(): string {
  const [place] = usePlace()
  const { data } = useProjects()
  return projectOf(place.project, data?.items ?? [], lastProject())
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
