import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api, must, type Schemas } from '../api/client'
import { count } from '../lib/count'
import { Differences } from '../ui/Differences'
import { Sources } from '../ui/Sources'
import { State } from '../ui/State'

/** Objectives lists objectives with their coverage. */
export function Objectives({ project }: { project: string }) {
  const q = useQuery({
    queryKey: ['objective', project],
    queryFn: () => must(api.GET('/api/projects/{project}/objectives', { params: { path: { project }, query: { limit: 200 } } })),
  })
  return (
    <section>
      <h2>Objectives</h2>
      <State pending={q.isPending} error={q.error} empty={q.data?.items?.length === 0} hint="No objectives yet. Lines such as “Sprint 7 goal: …” in minutes become objectives.">
        {(q.data?.items ?? []).map((r) => (
          <article key={r.id} className="card">
            <strong>{r.body.outcome}</strong> <span className="muted">{r.body.sprintName} · {r.body.status} · coverage {r.body.coveragePercent}% · {count(r.body.ticketIds?.length, 'ticket')}</span>
            <Sources of={r.body.sources} />
          </article>
        ))}
      </State>
    </section>
  )
}

/** Record shows any record by its id: what a citation opens. */
export function Record() {
  const { id } = useParams({ strict: false }) as { id: string }
  const q = useQuery({ queryKey: ['record', id], queryFn: () => must(api.GET('/api/records/{id}', { params: { path: { id } } })) })
  const body = (q.data?.body ?? {}) as { [field: string]: unknown; sources?: Schemas['DeskSource'][]; evidence?: Schemas['DeskEvidence'][]; conflicts?: Schemas['DeskDiscord'][] }
  const shownApart = ['sources', 'evidence', 'conflicts']
  return (
    <section>
      <h2>{q.data?.kind.replace('_', ' ')} <code>{id}</code></h2>
      <State pending={q.isPending} error={q.error}>
        <dl>
          {Object.entries(body).filter(([k]) => !shownApart.includes(k)).map(([k, v]) => (
            <div key={k}><dt>{k}</dt><dd>{typeof v === 'object' ? JSON.stringify(v) : String(v)}</dd></div>
          ))}
        </dl>
        <Differences of={(body.conflicts ?? []).map((c) => ({ ticket: c.ticketId, title: c.title ?? '', field: c.field, before: c.ticketValue, after: c.sourceValue }))} />
        {body.evidence && <h3>Evidence</h3>}
        {(body.evidence ?? []).map((e, i) => (
          <div key={i}>
            <p className="muted">{[e.author, e.date, e.type, e.reference].filter(Boolean).join(' · ')}</p>
            <blockquote>{e.snippet}</blockquote>
          </div>
        ))}
        <h3>Where it comes from</h3>
        <Sources of={body.sources} hint="No words were kept for this record." />
      </State>
    </section>
  )
}
