import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { api, must } from '../../api/client'
import { graphOf } from '../../lib/graph'
import { useMay } from '../../lib/me'
import { useKeys } from '../../lib/pane'
import { useWord } from '../../lib/project'
import { stood, sums, until } from '../../lib/standing'
import { few, usd } from '../../lib/took'
import { recent } from '../../lib/when'
import { useWho } from '../../lib/who'
import { State } from '../../ui/State'
import { Status } from '../../ui/Status'
import { pausable } from '../runs/states'
import { Canvas } from './Canvas'
import { useChanges } from './changes'
import { Scrub } from './Scrub'
import { StepPanel } from './StepPanel'

/** Instance shows an instance of a workflow on its canvas, now and as it was. */
export function Instance() {
  const { id } = useParams({ strict: false }) as { id: string }
  return <Played key={id} id={id} />
}

function Played({ id }: { id: string }) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const who = useWho()
  const may = useMay('editor')
  const [asOf, setAsOf] = useWord('asOf')
  const [chosen, choose] = useState('')
  const [open, setOpen] = useState(false)
  const q = useQuery({ queryKey: ['instance', 'details', id], queryFn: () => must(api.GET('/api/instances/{id}', { params: { path: { id } } })) })
  const changes = useChanges(id)
  const plan = JSON.stringify(q.data?.plan ?? [])
  const graph = useMemo(() => graphOf(JSON.parse(plan)), [plan])
  const items = useMemo(() => changes.data?.items ?? [], [changes.data])
  const n = Math.max(until(items, asOf), Math.min(1, items.length))
  const past = n < items.length
  const now = past ? Date.parse(items[n - 1]?.at ?? '') : 0
  const at = useMemo(() => stood(items, n), [items, n])
  const stands = useMemo(() => sums(at, graph), [at, graph])
  const close = () => {
    setOpen(false)
    document.querySelector<HTMLElement>(`[data-pane] .react-flow__node[data-id="${CSS.escape(chosen)}"]`)?.focus({ preventScroll: true })
  }
  const hold = useMutation({
    mutationFn: (word: 'pause' | 'resume') => must(api.POST(`/api/runs/{id}/${word}`, { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['instance'] }),
  })
  const paused = q.data?.run.waits_for === 'resume'
  const word = !may || past ? undefined : paused ? 'resume' : pausable(q.data?.run) ? 'pause' : undefined
  useKeys([
    ...(word ? [{ key: 'p', does: paused ? 'let the instance go on' : 'pause the instance', act: () => hold.mutate(word) }] : []),
    { key: 'Escape', does: open ? 'close the step' : 'to now', act: () => (open ? close() : setAsOf('')) },
    { key: 'u', does: 'back to the workflows', act: () => void navigate({ to: '/workflows' } as never) },
  ])
  const i = q.data
  const step = open ? graph.steps.get(chosen) : undefined
  const runs = step ? (stands.get(step.path)?.paths ?? []).flatMap((p) => at.steps.get(p) ?? []) : []
  return (
    <section className="absolute inset-0 flex flex-col gap-1 px-4 py-3">
      <div className="flex flex-wrap items-baseline gap-x-4">
        <h2 className="m-0!">{i?.name ?? 'Instance'}</h2>
        {i && <Status of={i.unproven && !past ? 'unproven' : at.state || i.run.state} />}
        {i && (
          <span className="flex flex-wrap gap-x-4 text-muted">
            <Link to="/workflows/$id" params={{ id: i.slug }} search={{ version: String(i.version) } as never}>version {i.version}</Link>
            <span>began {recent(i.run.created_at)} by {who(i.run.by.agent_id)}</span>
            <span>{usd(at.usd)} USD, {few(at.tokens)} tokens</span>
            <Link to="/runs/$id" params={{ id }}>its run</Link>
          </span>
        )}
        {word && <button type="button" className="px-2 py-0" disabled={hold.isPending} onClick={() => hold.mutate(word)}>{paused ? 'Resume' : 'Pause'} <kbd>p</kbd></button>}
      </div>
      <State pending={q.isPending || changes.isPending} error={q.error ?? changes.error}>
        {hold.error && <p className="danger m-0!" role="alert">{hold.error.message}</p>}
        {at.says && <p className={`m-0! truncate ${at.state === 'failed' ? 'danger' : 'text-muted'}`} title={at.says}>{at.says}</p>}
        <Scrub changes={items} at={n} onGo={(to) => setAsOf(to >= items.length ? '' : `#${items[to - 1]?.seq ?? ''}`)} />
        {graph.steps.size === 0
          ? <p className="text-warn">Version {i?.version} cannot be read any more, so its steps are not drawn. <Link to="/runs/$id" params={{ id }}>Its run</Link> has all that it did.</p>
          : (
            <div className={`grid min-h-0 flex-1 gap-2 ${step ? 'grid-rows-2 @4xl:grid-cols-[minmax(0,1fr)_32rem] @4xl:grid-rows-1' : ''}`}>
              <Canvas label={`Steps of ${i?.name}`} graph={graph} sums={stands} now={now} chosen={chosen} onChoose={choose} onOpen={() => setOpen(true)} />
              {step && <StepPanel key={step.path} of={step} run={id} runs={runs} steps={i?.steps ?? []} past={now} onClose={close} />}
            </div>
          )}
      </State>
    </section>
  )
}
