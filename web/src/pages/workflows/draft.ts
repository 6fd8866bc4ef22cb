import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, must } from '../../api/client'
import type { Draft, Operation } from '../../lib/drafted'

/** useDraft is the draft of a workflow and what edits it. Edits go one after the other, each made on the newest revision that is here; others' stay. */
export function useDraft(slug: string) {
  const queries = useQueryClient()
  const queryKey = ['draft', slug]
  const params = { path: { slug } }
  const q = useQuery({ queryKey, queryFn: () => must(api.GET('/api/workflows/{slug}/draft', { params })) })
  const base = () => queries.getQueryData<Draft>(queryKey)?.revision ?? 0
  const common = {
    scope: { id: `draft ${slug}` },
    onMutate: () => queries.cancelQueries({ queryKey }), // an answer on its way is older than what this gives
    onSuccess: (d: Draft) => void queries.setQueryData(queryKey, d),
    onError: () => void queries.invalidateQueries({ queryKey }),
  }
  const edit = useMutation({ mutationFn: (operations: Operation[]) => must(api.POST('/api/workflows/{slug}/edits', { params, body: { base: base(), operations } })), ...common })
  const write = useMutation({ mutationFn: (text: { source: string; base: number }) => must(api.PUT('/api/workflows/{slug}/draft', { params, body: text })), ...common })
  const undo = useMutation({ mutationFn: () => must(api.POST('/api/workflows/{slug}/draft/undo', { params, body: {} })), ...common })
  const redo = useMutation({ mutationFn: () => must(api.POST('/api/workflows/{slug}/draft/redo', { params })), ...common })
  return { q, edit, write, undo, redo }
}
