import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
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

/** useEdits are the ways to change the records of a kind. An edit shows at once, and is taken back when the daemon refuses. */
export function useEdits<B>(project: string, kind: string, plural: Plural) {
  const queries = useQueryClient()
  const key = [kind, project, 'list']
  const [gone, setGone] = useState<Rec<B>>()
  const settle = () => queries.invalidateQueries({ queryKey: [kind] })
  const map = (change: (items: Rec<B>[]) => Rec<B>[]) => {
    const before = queries.getQueriesData<List<B>>({ queryKey: key })
    queries.setQueriesData<List<B>>({ queryKey: key }, (l) => l && { ...l, pages: l.pages.map((p) => ({ ...p, items: change(p.items ?? []) })) })
    return before
  }
  const back = (before: [readonly unknown[], List<B> | undefined][] | undefined) => {
    for (const [k, data] of before ?? []) queries.setQueryData(k, data)
  }
  const edit = useMutation({
    mutationFn: (e: { of: Rec<B>; set: Partial<{ [field in keyof B]: B[field] | null }> }) =>
      must(api.PATCH(onePath(plural), { params: { path: { project, id: e.of.id }, header: { 'If-Match': e.of.version } }, body: e.set as never })),
    onMutate: async (e) => {
      await queries.cancelQueries({ queryKey: key })
      return map((items) => items.map((r) => (r.id === e.of.id ? { ...r, body: { ...r.body, ...e.set } as B } : r)))
    },
    onError: (_e, _v, before) => back(before),
    onSettled: settle,
  })
  const add = useMutation({
    mutationFn: (body: Partial<B>) => must(api.POST(listPath(plural), { params: { path: { project } }, body: body as never })),
    onSuccess: () => setGone(undefined),
    onSettled: settle,
  })
  const remove = useMutation({
    mutationFn: (r: Rec<B>) => must(api.DELETE(onePath(plural), { params: { path: { project, id: r.id } } })),
    onMutate: async (r) => {
      await queries.cancelQueries({ queryKey: key })
      return map((items) => items.filter((x) => x.id !== r.id))
    },
    onSuccess: (_d, r) => setGone(r),
    onError: (_e, _v, before) => back(before),
    onSettled: settle,
  })
  const undo = () => gone && add.mutate(gone.body)
  return { edit, add, remove, gone, undo, error: edit.error ?? add.error ?? remove.error, busy: edit.isPending || remove.isPending }
}
