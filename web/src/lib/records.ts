import { useInfiniteQuery, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { api, must, type Schemas } from '../api/client'
import { change } from './change'
import type { Plural } from './kinds.gen'
import { useMoment } from './moment'
import { titleOf } from './order'

/** Rec is a record whose body is of the kind B. */
export type Rec<B> = Omit<Schemas['RecordOfIdeaBody'], 'body'> & { body: B }
type List<B> = { pages: { items: Rec<B>[] | null; total: number; next?: string }[]; pageParams: unknown[] }

/** the paths of all kinds are alike; one of them stands for all where the client's types want one. */
const listPath = (plural: Plural) => `/api/projects/{project}/${plural}` as '/api/projects/{project}/ideas'
const onePath = (plural: Plural) => `/api/projects/{project}/${plural}/{id}` as '/api/projects/{project}/ideas/{id}'

/** useRecords lists the records of a kind as they were at the shown moment, more as one asks. */
export function useRecords<B>(project: string, kind: string, plural: Plural, narrow: { filter?: string; sort?: string; newest?: boolean } = {}) {
  const { asOf, query } = useMoment()
  const key = [kind, project, 'list', narrow.filter ?? '', narrow.sort ?? '', asOf]
  const q = useInfiniteQuery({
    queryKey: key,
    initialPageParam: '',
    queryFn: ({ pageParam }) => must(api.GET(listPath(plural), { params: { path: { project }, query: { ...query, ...narrow, cursor: pageParam || undefined, limit: 200 } } })),
    getNextPageParam: (last) => last.next || undefined,
  })
  return { ...q, all: (q.data?.pages.flatMap((p) => p.items ?? []) ?? []) as unknown as Rec<B>[], total: q.data?.pages[0]?.total }
}

/** Edit is a change of a record: what fields become, or how that follows from what they are. from is the version that it is made of. */
type Edit<B> = { of: Rec<B>; set: Change<B> | ((body: B) => Change<B>); from: number }
type Change<B> = Partial<{ [field in keyof B]: B[field] | null }>

const changed = <B>(body: B, set: Edit<B>['set']): B => ({ ...body, ...(typeof set === 'function' ? set(body) : set) }) as B

/** withEdits are records with the edits that are under way and that they do not have yet. */
export function withEdits<B>(all: Rec<B>[], editing: Edit<B>[]): Rec<B>[] {
  return all.map((r) => {
    let body = r.body
    for (const e of editing) if (e.of.id === r.id && r.version <= e.from) body = changed(body, e.set)
    return body === r.body ? r : { ...r, body }
  })
}

/**
 * useEdits are the ways to change the records of a kind. What is under way lies over the
 * records, so that an edit shows at once and is gone when the daemon refuses it. Edits that
 * come quickly wait for each other, as a removal does for them, and each names the version that the one before made: only
 * what somebody else changed is a conflict.
 */
export function useEdits<B>(project: string, kind: string, plural: Plural) {
  const queries = useQueryClient()
  const own = useRef(new Map<string, Rec<B>>()) // what our edits made
  const planned = useRef(new Map<string, number>()) // the versions that those under way will make
  const lists = { queryKey: [kind, project, 'list'] }
  const keys = { edit: [kind, project, 'edit'], remove: [kind, project, 'remove'] }
  const settle = () => {
    if (queries.isMutating({ mutationKey: keys.edit }) <= 1) void queries.invalidateQueries({ queryKey: [kind] })
  }
  /** base is what an edit is made of: what follows from a body takes the newest that is known, the rest what was seen. */
  const base = (e: Edit<B>): Rec<B> => {
    const made = own.current.get(e.of.id)
    const cached = queries.getQueriesData<List<B>>(lists).flatMap(([, l]) => l?.pages.flatMap((p) => p.items ?? []) ?? []).filter((r) => r.id === e.of.id)
    const seen = typeof e.set === 'function' ? (cached.sort((a, b) => b.version - a.version)[0] ?? e.of) : e.of
    return made && made.version >= seen.version ? made : seen
  }
  const scope = { id: keys.edit.join(' ') }
  const edit = useMutation({
    mutationKey: keys.edit,
    scope,
    mutationFn: (e: Edit<B>) => {
      const of = base(e)
      return change(`Changed ${titleOf(of.body as { [field: string]: unknown })}`, api.PATCH(onePath(plural), { params: { path: { project, id: of.id }, header: { 'If-Match': of.version } }, body: (typeof e.set === 'function' ? e.set(of.body) : e.set) as never }))
    },
    onSuccess: (answer) => {
      const made = answer as unknown as Rec<B>
      own.current.set(made.id, made)
      queries.setQueriesData<List<B>>(lists, (l) => l && { ...l, pages: l.pages.map((p) => ({ ...p, items: (p.items ?? []).map((r) => (r.id === made.id && r.version < made.version ? made : r)) })) })
    },
    onError: (_e, e) => void planned.current.delete(e.of.id),
    onSettled: settle,
  })
  const add = useMutation({
    mutationFn: (body: Partial<B>) => change(`Made ${titleOf(body as { [field: string]: unknown })}`, api.POST(listPath(plural), { params: { path: { project } }, body: body as never })),
    onSettled: settle,
  })
  const remove = useMutation({
    mutationKey: keys.remove,
    scope, // an edit that is under way is made before
    mutationFn: (r: Rec<B>) => change(`Removed: ${titleOf(r.body as { [field: string]: unknown })}`, api.DELETE(onePath(plural), { params: { path: { project, id: r.id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: [kind] }), // until then it is left out
  })
  const editing = useMutationState({ filters: { mutationKey: keys.edit, status: 'pending' }, select: (m) => m.state.variables as Edit<B> })
  const removing = useMutationState({ filters: { mutationKey: keys.remove, status: 'pending' }, select: (m) => (m.state.variables as Rec<B>).id })
  const begin = (of: Rec<B>, set: Edit<B>['set']) => {
    const from = Math.max(of.version, planned.current.get(of.id) ?? 0)
    planned.current.set(of.id, from + 1)
    edit.mutate({ of, set, from })
  }
  return { change: begin, add, remove, now: (all: Rec<B>[]) => withEdits(all.filter((r) => !removing.includes(r.id)), editing), error: edit.error ?? remove.error }
}
