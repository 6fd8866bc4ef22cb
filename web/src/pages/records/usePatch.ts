import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, must, Problem } from '../../api/client'
import { change } from '../../lib/change'
import { kinds } from '../../lib/kinds.gen'

/** Seen is a record to change, as it was seen. */
export type Seen = { id: string; kind: string; projectId: string; version: number; body: unknown; owner?: string | undefined }

/** Patch is what fields of a record become, and how that is said. */
type Patch = { of: Seen; set: { [field: string]: unknown }; said: string }

const fieldOf = (r: { body: unknown; owner?: string | undefined }, field: string) => JSON.stringify((r.body as { [field: string]: unknown })[field] ?? (field === 'owner' ? r.owner : undefined) ?? null)

/** untouched says whether fields are as they were seen, whatever became of the others. */
export const untouched = (seen: Pick<Seen, 'body' | 'owner'>, now: Pick<Seen, 'body' | 'owner'>, fields: string[]) => fields.every((f) => fieldOf(seen, f) === fieldOf(now, f))

const send = (p: Patch, version: number) => {
  const plural = kinds[p.of.kind]?.plural ?? 'tickets'
  return change(p.said, api.PATCH(`/api/projects/{project}/${plural}/{id}` as '/api/projects/{project}/ideas/{id}', {
    params: { path: { project: p.of.projectId, id: p.of.id }, header: { 'If-Match': version } }, body: p.set as never,
  }))
}

/** usePatch changes fields of records and says so, with the way to take it back. Only what somebody else made of the same fields is a conflict. */
export function usePatch() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (p: Patch) => {
      const now = await queries.fetchQuery({ queryKey: ['record', p.of.id, ''], queryFn: () => must(api.GET('/api/records/{id}', { params: { path: { id: p.of.id } } })), staleTime: 0 })
      if (!untouched(p.of, now, Object.keys(p.set))) throw new Problem(409, 'Somebody changed it meanwhile.')
      return send(p, now.version)
    },
    onSettled: (_made, _error, p) => Promise.all([queries.invalidateQueries({ queryKey: ['record'] }), queries.invalidateQueries({ queryKey: [p.of.kind] })]),
  })
}
