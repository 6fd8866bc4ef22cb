import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, must, type Schemas } from '../../api/client'

export type Approval = Schemas['ApprovalApproval']

/** Given is an answer to a question. */
export type Given = { question: Approval; body: Schemas['AnswerBody'] }

/**
 * useAnswer answers a question. It goes from the lists at once, and comes back when the
 * answer is refused.
 */
export function useAnswer(told: { onSuccess?: (g: Given) => void; onError?: (e: Error, g: Given) => void } = {}) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (g: Given) => must(api.POST('/api/approvals/{id}', { params: { path: { id: g.question.id } }, body: g.body })),
    onMutate: async (g) => {
      await queries.cancelQueries({ queryKey: ['approval'] })
      const before = queries.getQueriesData<Approval[]>({ queryKey: ['approval', 'pending'] })
      for (const [key, list] of before) queries.setQueryData(key, list?.filter((a) => a.id !== g.question.id))
      return before
    },
    onSuccess: (_, g) => told.onSuccess?.(g),
    onError: (e, g, before) => {
      for (const [key, list] of before ?? []) queries.setQueryData(key, list)
      told.onError?.(e, g)
    },
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['approval'] })
      void queries.invalidateQueries({ queryKey: ['run'] })
    },
  })
}
