import { useMutation, useMutationState, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, must, type Schemas } from '../api/client'
import { meQuery } from './me'

/** Tour is where a person stands in the tour of the page; who never began it has none. */
export type Tour = Schemas['OrgTour']

let moved = false

/** wasMoved says whether somebody moved in this window: then a step goes to its view, else it waits there where the page was opened. */
export const wasMoved = () => moved

/** put names the changes that the daemon has not confirmed yet. */
const put = ['tour']

/**
 * useTour is where the person stands in the tour, and how to move: the daemon keeps it for them, on every machine.
 * Until the daemon has confirmed a move, the move counts, whatever an older answer says.
 */
export function useTour(): { tour: Tour | undefined; move: (to: Tour) => void; begin: () => void } {
  const queries = useQueryClient()
  const kept = useQuery(meQuery).data?.tour
  const moves = useMutationState({ filters: { mutationKey: put, status: 'pending' }, select: (one) => one.state.variables as Tour })
  const { mutate } = useMutation({
    mutationKey: put,
    scope: { id: 'tour' }, // one after the other
    mutationFn: (to: Tour) => must(api.PUT('/api/me/tour', { body: to })),
    onSuccess: async (_, to) => {
      await queries.cancelQueries({ queryKey: meQuery.queryKey }) // it may have been asked before the move
      queries.setQueryData(meQuery.queryKey, (me) => me && { ...me, tour: to })
    },
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: meQuery.queryKey })
    },
  })
  const move = (to: Tour) => {
    moved = true
    mutate(to)
  }
  return { tour: moves.at(-1) ?? kept, move, begin: () => move({ step: 1, over: false }) }
}
