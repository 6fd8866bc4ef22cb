import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, must, type Schemas } from '../api/client'
import { meQuery } from './me'

/** Tour is where a person stands in the tour of the page; who never began it has none. */
export type Tour = Schemas['OrgTour']

let moved = false

/** wasMoved says whether somebody moved in this window: then a step goes to its view, else it waits there where the page was opened. */
export const wasMoved = () => moved

/** useTour is where the person stands in the tour, and how to move: the daemon keeps it for them, on every machine. */
export function useTour(): { tour: Tour | undefined; move: (to: Tour) => void; begin: () => void } {
  const queries = useQueryClient()
  const tour = useQuery(meQuery).data?.tour
  const put = useMutation({
    scope: { id: 'tour' }, // one after the other
    mutationFn: (to: Tour) => must(api.PUT('/api/me/tour', { body: to })),
    onMutate: (to) => queries.setQueryData(meQuery.queryKey, (me) => me && { ...me, tour: to }),
    onError: () => queries.invalidateQueries({ queryKey: meQuery.queryKey }),
  })
  const move = (to: Tour) => {
    moved = true
    put.mutate(to)
  }
  return { tour, move, begin: () => move({ step: 1, over: false }) }
}
