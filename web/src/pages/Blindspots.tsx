import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must, type Schemas } from '../api/client'
import { change } from '../lib/change'
import { useMayEdit, useMoment } from '../lib/moment'
import { useWord } from '../lib/project'
import { useRows } from '../lib/rows'
import { type Known, useTitles } from '../lib/titles'
import { day } from '../lib/when'
import { worded } from '../lib/words'
import { Named } from '../ui/Named'
import { Options } from '../ui/Options'
import { Person } from '../ui/Person'
import { Severity } from '../ui/Severity'
import { State } from '../ui/State'
import { Status } from '../ui/Status'
import { Table } from '../ui/Table'
import { Whole } from '../ui/Whole'
import { Preview } from './records/Preview'

type Blindspot = Schemas['RecordOfBlindspotBody']

/** verdicts are what can be made of a blindspot: key, word, status. */
const verdicts = [['a', 'Acknowledge', 'ACKNOWLEDGED'], ['r', 'Resolve', 'RESOLVED'], ['x', 'Dismiss', 'DISMISSED'], ['o', 'Reopen', 'OPEN']] as const

const statuses = ['OPEN', 'ACKNOWLEDGED', 'RESOLVED', 'DISMISSED']
const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW']

/** narrowing is the filter of the list; without a status those that nobody has settled are shown. */
function narrowing(status: string, severity: string): string {
  const parts = [status === '' ? 'status:OPEN,ACKNOWLEDGED' : status === 'any' ? '' : `status:${status}`, severity === '' ? '' : `severity:${severity}`]
  return parts.filter(Boolean).join(' ')
}

/** useVerdict gives a blindspot a status, as long as it is as it was seen. */
function useVerdict() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (v: { of: Blindspot; status: string }) =>
      change(`${v.of.body.title}: ${worded(v.status)}`, api.PATCH('/api/projects/{project}/blindspots/{id}', {
        params: { path: { project: v.of.projectId, id: v.of.id }, header: { 'If-Match': v.of.version } },
        body: { status: v.status, ...(v.status === 'OPEN' ? { resolvedAt: null } : {}) } as never,
      })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['blindspot'] }),
  })
}

/** Blindspots lists what nobody looks at, the gravest first, and settles it by one key each. */
export function Blindspots({ project }: { project: string }) {
  const [status, setStatus] = useWord('status')
  const [severity, setSeverity] = useWord('severity')
  const may = useMayEdit()
  const { asOf, query } = useMoment()
  const q = useInfiniteQuery({
    queryKey: ['blindspot', project, status, severity, asOf],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      must(api.GET('/api/projects/{project}/blindspots', { params: { path: { project }, query: { ...query, filter: narrowing(status, severity) || undefined, sort: '-severity,-updated', cursor: pageParam || undefined, limit: 50 } } })),
    getNextPageParam: (last) => last.next || undefined,
    placeholderData: keepPreviousData,
  })
  const all = q.data?.pages.flatMap((p) => p.items ?? []) ?? []
  const titles = useTitles(project, all.flatMap((b) => (b.body.recordIds ?? []).slice(0, 5)))
  const verdict = useVerdict()
  const give = (id: string, to: string) => {
    const of = all.find((b) => b.id === id)
    if (may && of && of.body.status !== to && !(verdict.isPending && verdict.variables.of.id === id)) verdict.mutate({ of, status: to })
  }
  const { at, row } = useRows(all.map((b) => b.id), Object.fromEntries(verdicts.map(([key, word, to]) => [key, { does: `${word.toLowerCase()} it`, act: (id: string) => give(id, to) }])))
  const narrowed = status !== '' || severity !== ''
  return (
    <Whole>
      <h2>Blindspots <span className="muted" data-testid="total">{q.data?.pages[0]?.total}</span></h2>
      <div className="row">
        <select aria-label="Status" value={status} onChange={(e) => setStatus(e.target.value)}>
          <option value="">not settled</option>
          <option value="any">any status</option>
          <Options of={statuses} />
        </select>
        <select aria-label="Severity" value={severity} onChange={(e) => setSeverity(e.target.value)}>
          <option value="">any severity</option>
          <Options of={severities} />
        </select>
        {may && <span className="text-muted @max-md:hidden"><kbd>j k</kbd> move {verdicts.map(([key, word]) => <span key={key}>· <kbd className="text-text!">{key}</kbd> {word.toLowerCase()} </span>)}</span>}
      </div>
      {verdict.error && <p className="danger" role="alert">{verdict.error.message}</p>}
      <State
        pending={q.isPending} error={q.error} empty={all.length === 0}
        hint={narrowed ? 'No blindspot fits. Choose another status or severity.' : 'No blindspot is open. Each intake looks for them: important work without anybody, objectives without tickets.'}
      >
        <div className={titles.late ? 'late' : undefined}>
          <Table
            heads={['Severity', 'Status', { name: 'Blindspot', below: true }, 'Owner', '']}
            rows={all.map((b) => ({ key: b.id, on: row(b.id), cells: cells(b, titles, may ? (to) => give(b.id, to) : undefined) }))}
          />
        </div>
        {q.hasNextPage && <button type="button" onClick={() => void q.fetchNextPage()} disabled={q.isFetchingNextPage}>More</button>}
      </State>
      <Preview id={at} />
    </Whole>
  )
}

function cells(b: Blindspot, titles: Map<string, Known>, give?: (to: string) => void) {
  const settled = b.body.status === 'RESOLVED' || b.body.status === 'DISMISSED'
  const open = verdicts.filter(([, , to]) => (settled ? to === 'OPEN' : to !== 'OPEN' && to !== b.body.status))
  return [
    <Severity key="severity" of={b.body.severity} />,
    <span key="status"><Status of={b.body.status} /> {b.body.resolvedAt && <span className="text-muted">{day(b.body.resolvedAt)}</span>}</span>,
    <div key="what">
      <Link to="/records/$id" params={{ id: b.id }}>{b.body.title}</Link>
      {b.body.description && <div className="text-muted">{b.body.description}</div>}
      {(b.body.recordIds ?? []).length > 0 && <div className="text-muted">About <Named ids={b.body.recordIds} titles={titles} most={5} /></div>}
    </div>,
    <Person key="owner" name={b.body.owner} />,
    give && (
      <span key="do" className="flex flex-wrap gap-1">
        {open.map(([, word, to]) => <button type="button" key={to} className="px-2 py-0" aria-label={`${word} ${b.body.title}`} onClick={() => give(to)}>{word}</button>)}
      </span>
    ),
  ]
}
