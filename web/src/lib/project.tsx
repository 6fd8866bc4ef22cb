import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { api, must } from '../api/client'

/** useProjects lists the projects. */
export function useProjects() {
  return useQuery({ queryKey: ['project'], queryFn: () => must(api.GET('/api/projects', { params: { query: { limit: 500 } } })) })
}

/** useProject is the project that the address names, else the first. */
export function useProject(): [string, (id: string) => void] {
  const search = useSearch({ strict: false }) as { project?: string }
  const navigate = useNavigate()
  const { data } = useProjects()
  const id = search.project ?? data?.items?.[0]?.id ?? ''
  return [id, (project) => void navigate({ to: '.', search: (old: object) => ({ ...old, project }) } as never)]
}
