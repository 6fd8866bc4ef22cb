import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, must, type Schemas } from '../api/client'
import { useMay } from '../lib/me'
import { recent } from '../lib/when'
import { LineForm } from '../ui/LineForm'
import { State } from '../ui/State'
import { Status } from '../ui/Status'
import { Table } from '../ui/Table'
import { ViewHead } from '../ui/ViewHead'
import { Payloads } from './workflows/Payloads'
import { Plans, usePlans } from './workflows/Plans'

type Workflow = Schemas['WorkflowOut']

/** Workflows shows the library, the instances in progress and those that ended; each leads to its canvas. */
export function Workflows() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const may = useMay('editor')
  const [making, setMaking] = useState(false)
  const library = useQuery({ queryKey: ['workflow', 'list'], queryFn: () => must(api.GET('/api/workflows')) })
  const instances = useQuery({ queryKey: ['workflow', 'instances'], queryFn: () => must(api.GET('/api/instances')) })
  const plans = usePlans()
  const again = { onSettled: () => void queries.invalidateQueries({ queryKey: ['workflow'] }) }
  const deploy = useMutation({ mutationFn: (w: Workflow) => must(api.POST('/api/workflows/{slug}/deploy', { params: { path: { slug: w.slug } }, body: { version: w.version } })), ...again })
  const retire = useMutation({ mutationFn: (w: Workflow) => must(api.POST('/api/workflows/{slug}/retire', { params: { path: { slug: w.slug } } })), ...again })
  const make = useMutation({
    mutationFn: (name: string) => must(api.PUT('/api/workflows/{slug}/draft', { params: { path: { slug: slugOf(name) } }, body: { base: 0, source: `slug: ${slugOf(name)}\nname: ${JSON.stringify(name)}\ndescription: \nsteps:\n  - id: begin\n    title: Say what happens first\n    transform: {}\n` } })),
    onSuccess: (d) => void navigate({ to: '/workflows/$id', params: { id: d.slug } }),
  })
  const wrong = deploy.error ?? retire.error ?? make.error
  return (
    <section>
      <ViewHead title="Workflows" primary={may && { name: 'New workflow', act: () => setMaking(true), open: making }} />
      {making && <LineForm label="New workflow" fields={[['What the workflow is called', '']]} onSave={([name = '']) => make.mutate(name)} onClose={() => setMaking(false)} />}
      {wrong && <p className="danger" role="alert">{wrong.message}</p>}
      <State pending={library.isPending} error={library.error} empty={library.data?.length === 0} hint="No workflows. Make one here, write one with: chela workflow new SLUG, or deploy one that comes with Chela: chela workflow deploy weekly-report">
        <Table
          heads={['Workflow', { name: 'What it does', below: true }, 'Version', 'Steps', 'Begins by', '']}
          rows={(library.data ?? []).map((w) => ({
            key: w.slug,
            cells: [
              <span key="name"><Link to="/workflows/$id" params={{ id: w.slug }}>{w.name}</Link> <code className="block text-sm text-faint">{w.slug}</code></span>,
              w.problem ? <span key="problem" className="danger">{w.problem}</span> : <span key="does">{w.description}{w.failures.length > 0 && <span className="danger block">A trigger failed, last {recent(w.failures[0]?.at ?? '')}.</span>}</span>,
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
              heads={['Instance', 'Began', 'State', 'Why']}
              rows={(instances.data ?? []).map((i) => ({
                key: i.run.id,
                cells: [
                  <Link key="name" to="/instances/$id" params={{ id: i.run.id }}>{i.name}, version {i.version}</Link>, recent(i.run.created_at), i.unproven ? 'unproven' : <Status key="state" of={i.run.state} />, i.run.reason ?? '',
                ],
              }))}
            />
          </State>
          {!instances.isPending && !plans.isPending && <><Plans /><Payloads /></>}
        </>
      )}
    </section>
  )
}

/** slugOf is the slug of a name: its letters and figures, with a hyphen between words. */
const slugOf = (name: string) => name.toLowerCase().normalize('NFKD').replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'workflow'

/** begins says what begins a workflow by itself. */
const begins = (w: Workflow) => w.triggers.map((t) => (t.message ? 'messages' : t.cron ? `the clock (${t.cron})` : t.webhook ? `the webhook ${t.webhook}` : (t.event?.type ?? ''))).join(', ') || 'hand'
