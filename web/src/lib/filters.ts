import { type Layout, useLayouts } from './layouts'

/** narrowing are the words of an address that narrow or sort what a view shows. */
const narrowing = ['filter', 'q', 'status', 'severity', 'sort'] as const

/** Filter is a view with what it is narrowed by, under a name. */
export type Filter = { name: string; to: string; search: { [word: string]: string } }

/** asFilter is the filter that a layout keeps; undefined when it is an arrangement of panes, or narrows nothing. */
export function asFilter(l: Layout): Filter | undefined {
  const url = new URL(l.address, 'http://desk')
  const search = Object.fromEntries([...url.searchParams].filter(([word]) => word !== 'project'))
  if ('panes' in search || !narrowing.some((word) => search[word])) return undefined
  return { name: l.name, to: url.pathname, search }
}

/** useFilters are the filters that the person saved. */
export function useFilters(): Filter[] {
  return (useLayouts().data ?? []).flatMap((l) => asFilter(l) ?? [])
}

/** addressOf is the address under which what a view is narrowed by is saved: that of any project. */
export function addressOf(to: string, search: { [word: string]: string | undefined }): string {
  const words = new URLSearchParams(Object.entries(search).filter((e): e is [string, string] => e[1] !== undefined && e[1] !== '' && e[0] !== 'project'))
  return words.size > 0 ? `${to}?${words}` : to
}
