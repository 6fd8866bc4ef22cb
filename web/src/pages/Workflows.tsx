import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must, type Schemas } from '../api/client'
import { useWord } from '../lib/project'
import { recent } from '../lib/when'
import { State } from '../ui/State'
import { Status } from '../ui/Status'
import { Table } from '../ui/Table'
import { ViewHead } from '../ui/ViewHead'

type Workflow = Schemas['WorkflowOut']

/** Workflows shows the library, the instances in progress and those that ended, and of one that is chosen where its steps stand. */
export function Workflows() {
  const queries = useQueryClient()
  const [chosen, setChosen] = useWord('filter')
  const library = useQuery({ queryKey: ['workflow', 'list'], queryFn: () => must(api.GET('/api/workflows')) })
  const instances = useQuery({ queryKey: ['workflow', 'instances'], queryFn: () => must(api.GET('/api/instances')) })
  const again = { onSettled: () => void queries.invalidateQueries({ queryKey: ['workflow'] }) }
  const deploy = useMutation({ mutationFn: (w: Workflow) => must(api.POST('/api/workflows/{slug}/deploy', { params: { path: { slug: w.slug } }, body: { version: w.version } })), ...again })
  const retire = useMutation({ mutationFn: (w: Workflow) => must(api.POST('/api/workflows/{slug}/retire', { params: { path: { slug: w.slug } } })), ...again })
  const wrong = deploy.error ?? retire.error
  return (
    <section>
      <ViewHead title="Workflows" />
      {wrong && <p className="danger" role="alert">{wrong.message}</p>}
      <State pending={library.isPending} error={library.error} empty={library.data?.length === 0} hint="No workflows. Write one with: chela workflow new SLUG, or deploy one that comes with Chela: chela workflow deploy weekly-report">
        <Table
          heads={['Workflow', 'What it does', 'Version', 'Steps', 'Begins by', '']}
          rows={(library.data ?? []).map((w) => ({
            key: w.slug,
            cells: [
              <span key="name">{w.name} <code className="block text-sm text-faint">{w.slug}</code></span>,
              w.problem ? <span key="problem" className="danger">{w.problem}</span> : w.description,
              `${w.version}, ${w.state}`, `${w.steps.length}`, begins(w),
              w.state === 'deployed'
                ? <button key="do" type="button" aria-label={`Retire ${w.name}`} disabled={retire.isPending} onClick={() => confirm(`Retire ${w.name}? Instances in progress go on.`) && retire.mutate(w)}>Retire</button>
                : <button key="do" type="button" aria-label={`Deploy ${w.name}`} disabled={deploy.isPending} onClick={() => deploy.mutate(w)}>Deploy</button>,
            ],
          }))}
        />
      </State>
      {!library.isPending && ( // below the library, which has its room by then
        <>
          <h3>Instances</h3>
          <State pending={instances.isPending} error={instances.error} empty={instances.data?.length === 0} hint="Nothing was begun yet. Begin one with: chela workflow run SLUG">
            <Table
              heads={['Instance', 'Began', 'State', 'Why', '']}
              rows={(instances.data ?? []).map((i) => ({
                key: i.run.id,
                cells: [
                  `${i.name}, version ${i.version}`, recent(i.run.created_at), i.unproven ? 'unproven' : <Status key="state" of={i.run.state} />, i.run.reason ?? '',
                  <button key="do" type="button" aria-label={`Steps of ${i.run.id}`} aria-expanded={chosen === i.run.id} onClick={() => setChosen(chosen === i.run.id ? '' : i.run.id)}>Steps</button>,
                ],
              }))}
            />
          </State>
        </>
      )}
      {chosen && <Steps of={chosen} />}
    </section>
  )
}

/** begins says what begins a workflow by itself. */
const begins = (w: Workflow) => w.triggers.map((t) => (t.message ? 'messages' : t.cron ? `the clock (${t.cron})` : t.webhook ? `the webhook ${t.webhook}` : (t.event?.type ?? ''))).join(', ') || 'hand'

/** Steps shows where the steps of an instance stand, and what was found of their contracts. */
function Steps({ of }: { of: string }) {
  const q = useQuery({ queryKey: ['workflow', 'instance', of], queryFn: () => must(api.GET('/api/instances/{id}', { params: { path: { id: of } } })) })
  return (
    <>
      <h3>Steps of {q.data?.name ?? of}</h3>
      <State pending={q.isPending} error={q.error} empty={q.data?.steps.length === 0} hint="No step has begun yet.">
        <Table
          heads={['Step', 'Does', 'State', 'Since', 'Says']}
          rows={(q.data?.steps ?? []).map((s) => ({
            key: s.path,
            cells: [<span key="path">{s.title || s.path} <code className="block text-sm text-faint">{s.path}</code></span>, s.kind, <Status key="state" of={s.state} />, s.started_at ? recent(s.started_at) : '', s.error || s.reason || ''],
          }))}
        />
      </State>
      {q.data?.evidence.map((e) => (
        <p key={e.path}>{e.path}: {e.found.map((f) => `${f.condition} is ${f.met ? 'met' : 'not met'}`).join('; ')}.</p>
      ))}
      <p><Link to="/runs/$id" params={{ id: of }}>Its run</Link></p>
    </>
  )
}
