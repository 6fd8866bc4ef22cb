import { useInfiniteQuery, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api, must, type Schemas } from '../api/client'
import type { Plural } from './kinds'
import { useMoment } from './moment'

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

/** Edit is a change of a record: what fields become, or how that follows from what they are. */
export type Edit<B> = { of: Rec<B>; set: Change<B> | ((body: B) => Change<B>) }
type Change<B> = Partial<{ [field in keyof B]: B[field] | null }>

const changed = <B>(body: B, set: Edit<B>['set']): B => ({ ...body, ...(typeof set === 'function' ? set(body) : set) }) as B

/**
 * useEdits are the ways to change the records of a kind. What is under way lies over the
 * records, so that an edit shows at once and is gone when the daemon refuses it. Edits that
 * come quickly wait for each other, and each names the version that the one before made: only
 * what somebody else changed is a conflict.
 */
export function useEdits<B>(project: string, kind: string, plural: Plural) {
  const queries = useQueryClient()
  const [gone, setGone] = useState<Rec<B>>()
  const own = useRef(new Map<string, Rec<B>>()) // what our edits made
  const keys = { edit: [kind, project, 'edit'], remove: [kind, project, 'remove'] }
  const settle = () => (queries.isMutating({ mutationKey: keys.edit }) <= 1 ? queries.invalidateQueries({ queryKey: [kind] }) : undefined)
  const edit = useMutation({
    mutationKey: keys.edit,
    scope: { id: keys.edit.join(' ') },
    mutationFn: (e: Edit<B>) => {
      const made = own.current.get(e.of.id)
      const base = made && made.version > e.of.version ? made : e.of
      return must(api.PATCH(onePath(plural), { params: { path: { project, id: base.id }, header: { 'If-Match': base.version } }, body: (typeof e.set === 'function' ? e.set(base.body) : e.set) as never }))
    },
    onSuccess: (answer) => {
      const made = answer as unknown as Rec<B>
      own.current.set(made.id, made)
      queries.setQueriesData<List<B>>({ queryKey: [kind, project, 'list'] }, (l) => l && { ...l, pages: l.pages.map((p) => ({ ...p, items: (p.items ?? []).map((r) => (r.id === made.id ? made : r)) })) })
    },
    onSettled: settle,
  })
  const add = useMutation({
    mutationFn: (body: Partial<B>) => must(api.POST(listPath(plural), { params: { path: { project } }, body: body as never })),
    onSuccess: () => setGone(undefined),
    onSettled: settle,
  })
  const remove = useMutation({
    mutationKey: keys.remove,
    mutationFn: (r: Rec<B>) => must(api.DELETE(onePath(plural), { params: { path: { project, id: r.id } } })),
    onSuccess: (_d, r) => setGone(r),
    onSettled: settle,
  })
  const editing = useMutationState({ filters: { mutationKey: keys.edit, status: 'pending' }, select: (m) => m.state.variables as Edit<B> })
  const removing = useMutationState({ filters: { mutationKey: keys.remove, status: 'pending' }, select: (m) => (m.state.variables as Rec<B>).id })
  /** now are the records with what is under way. */
  const now = (all: Rec<B>[]) =>
    all.filter((r) => !removing.includes(r.id)).map((r) => {
      let body = r.body
      for (const e of editing) if (e.of.id === r.id) body = changed(body, e.set)
      return body === r.body ? r : { ...r, body }
    })
  return { edit, add, remove, now, gone, undo: () => gone && add.mutate(gone.body), error: edit.error ?? remove.error }
}
