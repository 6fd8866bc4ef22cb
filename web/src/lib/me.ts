import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, must } from '../api/client'

/** roles are what persons may be, the least first; each includes those before it. */
export const roles = ['viewer', 'editor', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]

/** includes says whether a role includes the other. What is no role includes nothing. */
export function includes(role: string | undefined, least: Role): boolean {
  return roles.indexOf(role as Role) >= roles.indexOf(least)
}

/** meQuery asks who is logged in. */
export const meQuery = queryOptions({ queryKey: ['person', 'me'], queryFn: () => must(api.GET('/api/me')) })

/** useMe is the person who is logged in. */
export function useMe() {
  return useQuery(meQuery).data
}

/** useMay says whether the person who is logged in has at least this role; the daemon decides all the same. */
export function useMay(least: Role): boolean {
  return includes(useMe()?.role, least)
}
