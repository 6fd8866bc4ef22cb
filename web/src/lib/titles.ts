import { useQueries } from '@tanstack/react-query'
import { api, must } from '../api/client'
import { kinds } from './kinds.gen'
import { useMoment } from './moment'

/** lists are the kinds of records that others name. */
const lists = Object.entries(kinds).flatMap(([kind, { prefix, plural, named }]) => (named ? [{ kind, prefix, plural, named }] : []))

const most = 120 // ids in one filter, which has a longest length

/** Known is what is known of a record that another one names: its title, and what its fields say. */
export type Known = { title: string; fields: { [name: string]: unknown } }

/** known is what people call a record: its key, else its title; undefined when nothing is known of it. */
export const known = (of: Known | undefined): string | undefined => (typeof of?.fields.externalRef === 'string' && of.fields.externalRef !== '' ? of.fields.externalRef : of?.title)

/** titleOf is what stands for a record where another one names it. */
export function titleOf(r: { id: string; kind: string; body: unknown }): string {
  const title = (r.body as { [field: string]: unknown })[kinds[r.kind]?.named ?? '']
  return typeof title === 'string' ? title : r.id
}

/** isRecord says whether a text is the id of a record that useTitles can know. */
export const isRecord = (text: string | undefined) => lists.some(({ prefix }) => text?.startsWith(`${prefix}_`))

/** Titles are what is known of records by their ids; late while some of them are asked for. */
export type Titles = Map<string, Known> & { late: boolean }

/** useTitles looks records of a project up by their ids as they were at the shown moment, with one question for each kind. */
export function useTitles(project: string, ids: string[]): Titles {
  const { asOf, query } = useMoment()
  const asked = lists.map(({ prefix, ...of }) => ({ ...of, ids: [...new Set(ids)].filter((id) => id.startsWith(`${prefix}_`)).slice(0, most).sort() })).filter((l) => l.ids.length > 0)
  return useQueries({
    queries: asked.map((l) => ({
      queryKey: [l.kind, project, 'titles', asOf, ...l.ids],
      queryFn: () => must(api.GET(`/api/projects/{project}/${l.plural}` as '/api/projects/{project}/tickets', { params: { path: { project }, query: { ...query, filter: `id:${l.ids.join(',')}`, limit: most } } })),
    })),
    combine: (all) => Object.assign(new Map(all.flatMap((q) => q.data?.items ?? []).map((r) => [r.id, { title: titleOf(r), fields: { ...r.body, owner: r.owner } }])), { late: all.some((q) => q.isLoading) }),
  })
}
