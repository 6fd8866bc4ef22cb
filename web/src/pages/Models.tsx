import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, must, type Schemas } from '../api/client'
import { useMay } from '../lib/me'
import { useProject } from '../lib/project'
import { recent } from '../lib/when'
import { State } from '../ui/State'
import { Table } from '../ui/Table'
import { ViewHead } from '../ui/ViewHead'
import { Whole } from '../ui/Whole'
import { OneChart } from './charts/OneChart'
import { ModelChoice } from './ModelChoice'
import { NewProvider } from './NewProvider'

type Provider = Schemas['ModelState']
type Choice = Schemas['ModelChoice']
type Body = Schemas['ProviderBody']

/** jobs are what models are asked for, in words. */
const jobs: { [job: string]: string } = { controller: 'controllers, which divide the work', specialist: 'specialists, which do it', checker: 'checkers', summary: 'summaries when a budget has run out', transcription: 'voice notes and other audio', embedding: 'vectors of memories' }

/** cost says what a model costs, in USD for a million tokens or a minute of audio. */
function cost(p: Schemas['ModelPrice'] | undefined): string {
  if (p?.minute) return `${p.minute} a minute`
  return p ? `${p.in} in, ${p.out} out` : 'not known'
}

/** bodyOf is a provider as it is sent back: without its key, which then stays. */
const bodyOf = (p: Provider): Body => ({ name: p.name, kind: p.kind as Body['kind'], model: p.model, ...(p.base_url ? { base_url: p.base_url } : {}) })

/** Models shows which models are asked, for what, at which price, and which cool down; it adds and removes providers. */
export function Models() {
  const project = useProject()
  const queries = useQueryClient()
  const may = useMay('admin')
  const q = useQuery({
    queryKey: ['model', 'list'],
    queryFn: () => must(api.GET('/api/models')),
    refetchInterval: (now) => ((now.state.data ?? []).some((p) => p.cooling?.length) ? 5_000 : false), // that a model is well again is in no event
  })
  const choices = useQuery({ queryKey: ['model', 'choices'], queryFn: () => must(api.GET('/api/models/choices')) })
  const set = useMutation({
    mutationFn: (body: Body[]) => must(api.PUT('/api/models', { body })),
    onSettled: () => Promise.all([queries.invalidateQueries({ queryKey: ['model'] }), queries.invalidateQueries({ queryKey: ['run', 'status'] })]),
  })
  const test = useMutation({
    mutationFn: (name: string) => must(api.POST('/api/models/{name}/test', { params: { path: { name } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['model', 'list'] }),
  })
  const all = q.data ?? []
  const [asked, setAsked] = useState(false)
  const adding = may && q.isSuccess && (asked || all.length === 0)
  const ours = all.filter((p) => p.kind !== 'scripted') // what plays from a script is set in the file alone
  const without = (name: string) => ours.filter((p) => p.name !== name).map(bodyOf)
  const put = (b: Body) => set.mutateAsync(ours.some((p) => p.name === b.name) ? ours.map((p) => (p.name === b.name ? b : bodyOf(p))) : [...ours.map(bodyOf), b])
  const usual = all.find((p) => !p.reserved)?.name
  return (
    <Whole>
      <ViewHead title="Models" total={q.data?.length} primary={may && { name: 'Add a model', open: adding, act: () => setAsked(true) }} />
      {adding && <NewProvider names={all.map((p) => p.name)} busy={set.isPending} onAdd={(b) => put(b).then((states) => { test.mutate(b.name); return states })} {...(all.length > 0 && { onClose: () => setAsked(false) })} />}
      {set.error && <p className="danger" role="alert">{set.error.message}</p>}
      <State pending={q.isPending} error={q.error} empty={all.length === 0} hint="No model is configured: Chela works by its rules and computed tables. Add one above, or set a provider’s key in the environment.">
        <Table
          heads={['Provider', 'Model', 'Format', 'Key', 'Price', 'State', '']}
          rows={all.map((p) => ({
            key: p.name,
            cells: [
              <span key="name">{p.name} {p.name === usual && <span className="chip">default</span>}<span className="text-muted block wrap-anywhere">{[p.base_url, p.from && `from the ${p.from}`, p.reserved && 'asked by those who name it'].filter(Boolean).join(' · ')}</span></span>,
              p.model, p.kind, p.has_key ? 'stored' : 'none', cost(p.price), <Health key="state" of={p} testing={test.isPending && test.variables === p.name} />,
              may && (
                <span key="do" className="flex flex-wrap gap-1">
                <button type="button" className="px-2 py-0" disabled={test.isPending} aria-label={`Test ${p.name}`} onClick={() => test.mutate(p.name)}>Test</button>
                {p.kind !== 'scripted' && (
                  <button
                    type="button" className="px-2 py-0" disabled={set.isPending} aria-label={`Remove ${p.name}`}
                    onClick={() => confirm(`Remove the provider ${p.name}, with its key? It is not asked from then on.`) && set.mutate(without(p.name))}
                  >
                    Remove
                  </button>
                )}
                </span>
              ),
            ],
          }))}
        />
      </State>
      <State pending={choices.isPending} error={choices.error} empty={choices.data?.jobs?.length === 0 && !may} hint="">
        <h3>Which model is asked for what</h3>
        {(choices.data?.jobs ?? []).length === 0 && <p className="text-muted">Nothing is asked by those who name no model.</p>}
        <Table heads={['For', 'Model', 'Price']} rows={(choices.data?.jobs ?? []).map((c) => ({ key: c.job ?? '', cells: [jobs[c.job ?? ''] ?? c.job, named(c), cost(c.price)] }))} />
        <p className="text-muted">Prices are in USD for a million tokens. An agent that names a model asks that one.</p>
        <h3>When one cannot answer</h3>
        {(choices.data?.failover ?? []).length === 0
          ? <p className="text-muted">The call fails. Name others, and they are asked in turn.</p>
          : <ol>{(choices.data?.failover ?? []).map((c) => <li key={named(c)}>{named(c)} <span className="text-muted">{cost(c.price)}</span></li>)}</ol>}
        {may && choices.data && <ModelChoice key={JSON.stringify(choices.data.named)} named={choices.data.named} from={choices.data.from} problem={choices.data.transcription_problem} providers={all} />}
      </State>
      <OneChart project={project} name="cost" />
    </Whole>
  )
}

const named = (c: Choice) => `${c.provider}/${c.model}`

/** Health tells which models of a provider are left alone, why, and until when. */
function Health({ of, testing }: { of: Provider; testing: boolean }) {
  if (testing) return <span className="text-muted">testing…</span>
  const when = of.last && recent(of.last.at)
  if (!of.cooling?.length && of.last?.error) return <span className="text-danger wrap-anywhere">{of.last.error} (at {when})</span>
  if (!of.cooling?.length) return of.last ? <span className="text-up">answered at {when}</span> : <span className="text-muted">not asked yet</span>
  return of.cooling.map((c) => (
    <div key={c.model} className="text-warn wrap-anywhere">{c.model} is paused until {recent(c.until)}: {c.error || c.reason}</div>
  ))
}
