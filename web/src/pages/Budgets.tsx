import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { api, done, must, type Schemas } from '../api/client'
import { agentName, useAgents } from '../lib/agents'
import { useProject, useProjects } from '../lib/project'
import { State } from '../ui/State'
import { Table } from '../ui/Table'
import { ViewHead } from '../ui/ViewHead'
import { Whole } from '../ui/Whole'
import { figure } from '../lib/count'
import { OneChart } from './charts/OneChart'

type Budget = Schemas['BudgetOut']
type Limit = Schemas['BudgetLimit']
type Amounts = Schemas['BudgetAmounts']

const parts = ['tokens', 'usd', 'seconds', 'calls'] as const

/** unit is what an amount of a part is of. */
const unit = (part: (typeof parts)[number]) => (part === 'usd' ? 'USD' : part)

const taken = (a: Amounts) => ({ tokens: figure(a.tokens), usd: (a.micro_usd / 1e6).toFixed(4), seconds: (a.millis / 1e3).toFixed(1), calls: figure(a.calls) })

/** Taken shows of each thing that is bounded how much was taken. */
function Taken({ of, a }: { of: Budget; a: Amounts }) {
  if (of.per === 'run') return <span className="muted">each run on its own</span>
  return <>{parts.filter((p) => of[p] !== undefined).map((p) => `${taken(a)[p]} ${unit(p)}`).join(', ')}</>
}

/** Budgets shows what may be spent and what was, and changes it. */
export function Budgets() {
  const project = useProject()
  const queries = useQueryClient()
  const projects = useProjects().data?.items ?? []
  const agents = useAgents()
  const keys = useQuery({ queryKey: ['person', 'keys'], queryFn: () => must(api.GET('/api/keys')) })
  const q = useQuery({ queryKey: ['budget'], queryFn: () => must(api.GET('/api/budgets')) })
  const again = { onSuccess: () => void queries.invalidateQueries({ queryKey: ['budget'] }) }
  const set = useMutation({ mutationFn: (body: Limit) => must(api.PUT('/api/budgets', { body })), ...again })
  const remove = useMutation({ mutationFn: (id: string) => done(api.DELETE('/api/budgets/{id}', { params: { path: { id } } })), ...again })
  const whose = (b: Budget) => (b.scope === 'organization' ? 'the organization' : b.scope === 'key' ? (keys.data?.find((k) => k.id === b.of)?.name ?? b.of ?? '') : b.scope === 'agent' ? (b.of ?? '').replace('agent:', '') : (projects.find((p) => p.id === b.of)?.body.name ?? b.of ?? ''))
  const wrong = set.error ?? remove.error
  return (
    <Whole>
      <ViewHead title="Budgets" primary={{ name: 'New budget', act: () => document.getElementById('new-budget')?.querySelector<HTMLElement>('select, input')?.focus() }} />
      {wrong && <p className="danger" role="alert">{wrong.message}</p>}
      <State pending={q.isPending || keys.isPending} error={q.error} empty={q.data?.length === 0} hint="Nothing is limited. Set a budget below.">
        <Table
          heads={['Of', 'Per', 'May spend', 'Used', 'Reserved', '']}
          rows={(q.data ?? []).map((b) => ({
            key: b.id,
            cells: [
              <span key="of">{whose(b)} <span className="muted">{b.scope === 'organization' ? '' : b.scope}</span>{b.problem && <p className="danger">{b.problem}</p>}</span>,
              b.per, parts.filter((p) => b[p] !== undefined).map((p) => `${p === 'usd' ? b[p] : figure(b[p] ?? 0)} ${unit(p)}`).join(', '),
              <Taken key="used" of={b} a={b.used} />, <Taken key="reserved" of={b} a={b.reserved} />,
              <button key="rm" type="button" aria-label={`Remove the budget ${b.id}`} disabled={remove.isPending} onClick={() => confirm(`Remove the budget of ${whose(b)}?`) && remove.mutate(b.id)}>Remove</button>,
            ],
          }))}
        />
      </State>
      <h3>Set a budget</h3>
      <Form busy={set.isPending} agents={(agents.data ?? []).map((a) => agentName(a))} projects={projects.map((p) => ({ id: p.id, name: p.body.name }))} onSet={(l) => set.mutate(l)} />
      <OneChart project={project} name="cost" />
    </Whole>
  )
}

/** Form sets a budget; an empty field is no limit. */
function Form(p: { busy: boolean; agents: string[]; projects: { id: string; name: string }[]; onSet: (l: Limit) => void }) {
  const [scope, setScope] = useState<Limit['scope']>('organization')
  const [of, setOf] = useState('')
  const [per, setPer] = useState<Limit['per']>('day')
  const [amounts, setAmounts] = useState<Partial<Record<(typeof parts)[number], string>>>({})
  const send = (e: FormEvent) => {
    e.preventDefault()
    const limit: Limit = { scope, per }
    if (scope !== 'organization') limit.of = of
    for (const part of parts) if (amounts[part]) limit[part] = Number(amounts[part])
    p.onSet(limit)
  }
  const choices = scope === 'agent' ? p.agents.map((name) => ({ id: name, name })) : p.projects
  return (
    <form id="new-budget" onSubmit={send}>
      <div className="row">
        <label>Of <select aria-label="Of" value={scope} onChange={(e) => { setScope(e.target.value as Limit['scope']); setOf('') }}>
          <option value="organization">the organization</option><option value="project">a project</option><option value="agent">an agent</option>
        </select></label>
        {scope !== 'organization' && (
          <label>Which <select aria-label="Which" required value={of} onChange={(e) => setOf(e.target.value)}>
            <option value="">choose</option>
            {choices.map((c) => <option key={c.id} value={c.id}>{c.name}</option>)}
          </select></label>
        )}
        <label>For <select aria-label="For" value={per} onChange={(e) => setPer(e.target.value as Limit['per'])}>
          <option value="run">each run</option><option value="day">each day (UTC)</option><option value="total">all time</option>
        </select></label>
      </div>
      <div className="row">
        {parts.map((part) => (
          <label key={part}>{unit(part)} <input aria-label={part} type="number" min={0} step={part === 'usd' ? 'any' : 1} value={amounts[part] ?? ''} onChange={(e) => setAmounts({ ...amounts, [part]: e.target.value })} /></label>
        ))}
        <button type="submit" className="primary" disabled={p.busy}>Set</button>
      </div>
      <p className="muted">Empty means no limit, 0 allows nothing. A run at its limit waits and asks an admin.</p>
    </form>
  )
}
