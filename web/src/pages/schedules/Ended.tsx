import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must } from '../../api/client'
import { useWord } from '../../lib/project'
import { took } from '../../lib/took'
import { recent } from '../../lib/when'
import { Options } from '../../ui/Options'
import { Status } from '../../ui/Status'
import { State } from '../../ui/State'
import { Table } from '../../ui/Table'
import { type Schedule, when } from './when'

const results = ['SUCCESS', 'FAIL', 'CANCELLED', 'SKIPPED'] as const

/** Ended shows how executions ended, of one schedule or of each: what came of them, or why nothing was begun. */
export function Ended({ nameOf, of, all, onOf }: { nameOf: (id?: string) => string; of: string; all: Schedule[]; onOf: (id: string) => void }) {
  const [result, setResult] = useWord('status')
  const q = useInfiniteQuery({
    queryKey: ['schedule', 'past', of, result],
    initialPageParam: 0,
    queryFn: ({ pageParam }) =>
      must(api.GET('/api/executions/past', { params: { query: { scheduleId: of || undefined, resultStatus: (results.find((r) => r === result)), page: pageParam, size: 20 } } })),
    getNextPageParam: (last) => (last.number + 1 < last.totalPages ? last.number + 1 : undefined),
    placeholderData: keepPreviousData,
  })
  const rows = q.data?.pages.flatMap((p) => p.content ?? []) ?? []
  const total = q.data?.pages[0]?.totalElements ?? 0
  return (
    <>
      <h3>Ended <span className="text-muted">{total > 0 ? total : ''}</span></h3>
      <div className="row">
        <select aria-label="Of the schedule" value={all.some((s) => s.scheduleId === of) ? of : ''} onChange={(e) => onOf(e.target.value)}>
          <option value="">each schedule</option>
          {all.map((s) => <option key={s.scheduleId} value={s.scheduleId}>{s.agentId}, {when(s)}</option>)}
        </select>
        <select aria-label="Result" value={result} onChange={(e) => setResult(e.target.value)}>
          <option value="">any result</option>
          <Options of={results} />
        </select>
      </div>
      <State pending={q.isPending} error={q.error} empty={rows.length === 0} hint={of || result ? 'No run ended like this.' : 'No scheduled runs yet.'}>
        <Table
          heads={['Ended', 'For', 'Agent', 'Project', 'Result', 'Took', 'What came of it', 'Run']}
          rows={rows.map((e) => ({
            key: e.pastExecutionId,
            cells: [
              recent(e.endedAt), recent(e.scheduledAt), e.agentId, nameOf(e.projectId), <span key="result"><Status of={e.resultStatus} />{e.attempt > 1 && <span className="text-muted"> attempt {e.attempt}</span>}</span>,
              e.attempt > 0 ? took(e.durationMs) : '', e.errorMessage || e.responseSummary || '',
              e.runId ? <Link key="run" to="/runs/$id" params={{ id: e.runId }}>{e.runId.slice(-8)}</Link> : '',
            ],
          }))}
        />
        {q.hasNextPage && <button type="button" disabled={q.isFetchingNextPage} onClick={() => void q.fetchNextPage()}>Older ones</button>}
      </State>
    </>
  )
}
