import { type InfiniteData, infiniteQueryOptions, keepPreviousData, type QueryClient, type QueryKey, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, must, type Schemas } from '../../api/client'
import { change } from '../../lib/change'
import { useMoment } from '../../lib/moment'
import { worded } from '../../lib/words'

export type Ticket = Schemas['RecordOfTicketBody']
type Page = Schemas['ListOfTicketBody']
type Pages = InfiniteData<Page, string>

/** Narrowed is what tickets are narrowed by, and how they are sorted. */
export type Narrowed = { text: string; status: string; filter: string; sort: string }

/** page is how many tickets are asked for at once. */
const page = 200

/** openFirst is the usual order: what is open before what is over, the newest first. */
const openFirst = '-open'

/** unnarrowed are all tickets. */
const unnarrowed: Narrowed = { text: '', status: '', filter: '', sort: '' }

/** ticketsQuery asks for the tickets that fit as they were at a moment, now when it is empty. */
function ticketsQuery(project: string, by: Narrowed, asOf: string, limit = page) {
  const { text, status, filter, sort } = by
  return infiniteQueryOptions({
    queryKey: ['ticket', project, 'list', by, asOf],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      must(api.GET('/api/projects/{project}/tickets', { params: { path: { project }, query: { asOf: asOf || undefined, q: text || undefined, status: status || undefined, filter: filter || undefined, sort: sort || (status ? undefined : openFirst), cursor: pageParam || undefined, newest: sort ? undefined : true, limit } } })),
    getNextPageParam: (last: Page) => last.next || undefined,
  })
}

/** askTickets asks for what the table shows first. */
export const askTickets = (queries: QueryClient, project: string) => queries.prefetchInfiniteQuery(ticketsQuery(project, unnarrowed, ''))

/** useTickets are the tickets that fit, more as one asks. */
export function useTickets(project: string, by: Narrowed, limit = page) {
  const { asOf } = useMoment()
  return useInfiniteQuery({ ...ticketsQuery(project, by, asOf, limit), placeholderData: keepPreviousData })
}

/** changed is a list of tickets after one of them got another status: where only that status is shown it comes in, elsewhere it leaves. */
export function changed(data: Pages | undefined, shown: string, ticket: Ticket, to: string): Pages | undefined {
  if (!data) return data
  const after = { ...ticket, body: { ...ticket.body, status: to } }
  const here = data.pages.some((p) => (p.items ?? []).some((t) => t.id === ticket.id))
  const stays = shown === '' || shown === to
  return {
    ...data,
    pages: data.pages.map((p, i) => {
      const items = (p.items ?? []).flatMap((t) => (t.id !== ticket.id ? t : stays ? after : []))
      const enters = i === 0 && !here && shown === to
      return { ...p, items: enters ? [after, ...items] : items, total: p.total + (enters ? 1 : 0) - (here && !stays ? 1 : 0) }
    }),
  }
}

/** Move is a ticket and the status it is to have. */
export type Move = { ticket: Ticket; to: string }

/** useMove gives tickets another status. It shows at once; when it is refused, what was before shows again. */
export function useMove(project: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ ticket, to }: Move) =>
      change(`${ticket.body.externalRef || ticket.body.title}: ${worded(to)}`, api.PATCH('/api/projects/{project}/tickets/{id}', { params: { path: { project, id: ticket.id }, header: { 'If-Match': ticket.version } }, body: { status: to } as never })),
    onMutate: async ({ ticket, to }) => {
      const queryKey = ['ticket', project, 'list']
      await queries.cancelQueries({ queryKey })
      const before = queries.getQueriesData<Pages>({ queryKey })
      for (const [key, data] of before) queries.setQueryData(key, changed(data, shownBy(key), ticket, to))
      return before
    },
    onError: (_, __, before) => {
      for (const [key, data] of before ?? []) queries.setQueryData(key, data)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['ticket'] }),
  })
}

/** shownBy is the status that a list of tickets is narrowed to. */
const shownBy = (key: QueryKey) => (key[3] as Narrowed).status
