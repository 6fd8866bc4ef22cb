import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, must, type Schemas } from '../api/client'
import { usePane } from '../lib/pane'
import { useWord } from '../lib/project'
import { useRows } from '../lib/rows'
import { State } from '../ui/State'
import { Preview } from './records/Preview'

type Hit = { id: string; kind: string; title: Schemas['QueryPart'][] | null; snippet: Schemas['QueryPart'][] | null }

/** few is how many tickets are offered before anything is asked. */
const few = 12

/** Search finds records of all kinds by their words. */
export function Search({ project }: { project: string }) {
  const [text, setText] = useWord('q')
  const navigate = useNavigate()
  const { beside } = usePane()
  const [everywhere, setEverywhere] = useState(false)
  const asked = text.trim()
  const q = useInfiniteQuery({
    queryKey: ['record', 'search', everywhere ? '' : project, asked],
    enabled: asked !== '',
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      must(api.GET('/api/search', { params: { query: { q: asked, projectId: everywhere ? undefined : project, cursor: pageParam || undefined, limit: 50 } } })),
    getNextPageParam: (last) => last.next || undefined,
    placeholderData: keepPreviousData,
  })
  const latest = useQuery({
    queryKey: ['ticket', project, 'latest'],
    enabled: asked === '' && project !== '',
    queryFn: () => must(api.GET('/api/projects/{project}/tickets', { params: { path: { project }, query: { sort: '-updated', limit: few } } })),
  }).data?.items ?? []
  const hits: Hit[] = asked === '' ? latest.map((r) => ({ id: r.id, kind: 'ticket', title: [{ text: r.body.title }], snippet: null })) : (q.data?.pages.flatMap((p) => p.items ?? []) ?? [])
  const { at, row } = useRows(hits.map((h) => h.id), {
    Enter: { does: 'open the record', act: (id) => void navigate({ to: '/records/$id', params: { id } } as never) },
    o: { does: 'show it beside', act: (id) => beside(`/records/${id}?project=${project}`) },
  }, (id) => ({ kind: 'record', id }))
  return (
    <section>
      <h2>Search {asked !== '' && <span className="muted" data-testid="total">{q.data?.pages[0]?.total}</span>}</h2>
      <div className="row">
        <input placeholder="Search the records of this project" aria-label="Words" value={text} onChange={(e) => setText(e.target.value)} />
        <label><input type="checkbox" checked={everywhere} onChange={(e) => setEverywhere(e.target.checked)} /> all projects</label>
      </div>
      {asked === '' && <p className="muted">Write words: records of all kinds are found by their titles and texts, the likeliest first. <kbd>j k</kbd> move, <kbd>Enter</kbd> opens, <kbd>o</kbd> shows it beside.</p>}
      {asked === '' && hits.length > 0 && <h3>Changed last</h3>}
      {(asked !== '' || hits.length > 0) && (
        <State pending={asked !== '' && q.isPending} error={q.error} empty={hits.length === 0} hint="No record has these words.">
          {hits.map((h) => (
            <article key={h.id} {...row(h.id)} className={`card ${row(h.id).className}`}>
              <Link to="/records/$id" params={{ id: h.id }}><Marked parts={h.title} /></Link> <span className="muted">{h.kind.replaceAll('_', ' ')}</span>
              {(h.snippet ?? []).length > 0 && <p className="muted"><Marked parts={h.snippet} /></p>}
            </article>
          ))}
          {q.hasNextPage && <button type="button" onClick={() => void q.fetchNextPage()} disabled={q.isFetchingNextPage}>More</button>}
        </State>
      )}
      <Preview id={at} />
    </section>
  )
}

/** Marked shows a text with what was looked for. */
function Marked(p: { parts: Schemas['QueryPart'][] | null }) {
  return <>{(p.parts ?? []).map((x, i) => (x.hit ? <mark key={i}>{x.text}</mark> : x.text))}</>
}
