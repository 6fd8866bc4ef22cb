import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { api, must } from '../api/client'
import { grouped, ops, spoken } from '../lib/changes'
import { count } from '../lib/count'
import { useMoment } from '../lib/moment'
import { useRows } from '../lib/rows'
import { moment } from '../lib/when'
import { useWho } from '../lib/who'
import { Fields } from '../ui/Fields'
import { LongTable } from '../ui/LongTable'
import { State } from '../ui/State'
import { Head } from './differences/Head'

/** Changes lists what is different between the moment since and the one that is shown, by kind: of all records, of some kinds, or of one record. */
export function Changes({ project, kinds, record }: { project: string; kinds?: string[] | undefined; record?: string }) {
  const navigate = useNavigate()
  const who = useWho()
  const { asOf, since } = useMoment()
  const q = useInfiniteQuery({
    queryKey: ['counts', project, 'changes', since, asOf, kinds, record],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      must(api.GET('/api/projects/{project}/changes', { params: { path: { project }, query: { from: since, to: asOf || undefined, kind: (kinds?.join(',') || undefined) as never, record, cursor: pageParam || undefined } } })),
    getNextPageParam: (last) => last.next || undefined,
  })
  const items = q.data?.pages.flatMap((p) => p.items ?? []) ?? []
  const total = q.hasNextPage ? (q.data?.pages[0]?.total ?? 0) : items.length
  const lines = grouped(items)
  const { row } = useRows(lines.flatMap((l) => ('diff' in l ? [l.diff.id] : [])), {
    Enter: { does: 'open the record', act: (id) => void navigate({ to: '/records/$id', params: { id }, search: { since: undefined } } as never) },
  })
  const keyOf = (i: number) => {
    const l = lines[i]
    return l === undefined ? '' : 'diff' in l ? l.diff.id : `kind:${l.kind}`
  }
  const cells = (i: number) => {
    const l = lines[i]
    if (!l) return []
    if ('kind' in l) return { whole: <h3 className="mb-0!">{spoken(l.kind)} <span className="text-muted">{l.count}</span></h3> }
    const d = l.diff
    const op = ops[d.op] ?? { mark: '?', word: d.op, look: '' }
    return [
      <span key="op" className={`whitespace-nowrap ${op.look}`}>{op.mark} {op.word}</span>,
      <Link key="title" to="/records/$id" params={{ id: d.id }} search={{ since: undefined } as never}>{d.title || d.id}</Link>,
      d.op === 'updated' ? <Fields key="fields" of={d.fields} most={6} /> : '',
      <span key="by" className="text-muted">{(d.by ?? []).map(who).filter(Boolean).join(', ')}</span>,
      <time key="at" dateTime={d.at} className="whitespace-nowrap text-muted">{moment(d.at)}</time>,
    ]
  }
  return (
    <section aria-label="Changes">
      <Head title="What changed">{q.data && <span className="text-muted" data-testid="changes">{count(total, 'record')}</span>}</Head>
      <State pending={q.isPending} error={q.error} empty={lines.length === 0 && !q.hasNextPage} hint="Nothing is different between the two moments.">
        <LongTable heads={['', 'Record', 'What changed', { name: 'By', from: 52 }, { name: 'When', from: 64 }]} count={lines.length} rowKey={keyOf} row={cells} place={row} />
        {q.hasNextPage && <button type="button" disabled={q.isFetchingNextPage} onClick={() => void q.fetchNextPage()}>More</button>}
      </State>
    </section>
  )
}
