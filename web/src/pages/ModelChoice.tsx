import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, must, type Schemas } from '../api/client'

type Body = Schemas['ChoiceBody']
type Job = keyof Body['jobs']

/** jobs are what models are asked for. */
const jobs: [Job, string][] = [['controller', 'controllers'], ['specialist', 'specialists'], ['checker', 'checkers'], ['summary', 'summaries'], ['transcription', 'transcripts'], ['embedding', 'vectors of memories']]

/** ModelChoice says which model each job asks, and which are asked in turn when one cannot answer. */
export function ModelChoice(p: { named: Body; from: string; problem?: string; providers: { name: string; model: string }[] }) {
  const queries = useQueryClient()
  const [said, setSaid] = useState<Body>()
  const now = said ?? p.named
  const save = useMutation({
    mutationFn: () => must(api.PUT('/api/models/choices', { body: now })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['model'] })
      setSaid(undefined)
    },
  })
  const known = p.providers.map((m) => `${m.name}/${m.model}`)
  const give = (job: Job, name: string) => setSaid({ ...now, jobs: { ...now.jobs, [job]: name.trim() } })
  const list = (failover: string[]) => setSaid({ ...now, failover })
  const up = (i: number) => list(now.failover.map((m, n) => (n === i - 1 ? (now.failover[i] ?? m) : n === i ? (now.failover[i - 1] ?? m) : m)))
  return (
    <form
      aria-label="Which models are asked" className="card"
      onSubmit={(e) => {
        e.preventDefault()
        save.mutate()
      }}
    >
      <datalist id="known-models">{known.map((m) => <option key={m} value={m} />)}</datalist>
      <div className="grid gap-2 @2xl:grid-cols-3">
        {jobs.map(([job, name]) => (
          <label key={job} className="text-muted">
            {name}
            <input aria-label={`Model of ${name}`} className="block w-full" list="known-models" placeholder={job === 'transcription' ? 'none' : job === 'embedding' ? 'none; or static/NAME' : 'as the first provider'} value={now.jobs[job] ?? ''} onChange={(e) => give(job, e.target.value)} />
          </label>
        ))}
      </div>
      <ol className="my-2!">
        {now.failover.map((m, i) => (
          <li key={m}>
            {m}{' '}
            {i > 0 && <button type="button" className="px-2 py-0" aria-label={`Ask ${m} earlier`} onClick={() => up(i)}>↑</button>}{' '}
            <button type="button" className="px-2 py-0" aria-label={`Do not ask ${m}`} onClick={() => list(now.failover.filter((x) => x !== m))}>×</button>
          </li>
        ))}
      </ol>
      <div className="row mb-0!">
        <select aria-label="Ask next when one cannot answer" value="" onChange={(e) => list([...now.failover, e.target.value])}>
          <option value="">add a fallback…</option>
          {known.filter((m) => !now.failover.includes(m)).map((m) => <option key={m}>{m}</option>)}
        </select>
        <button type="submit" disabled={!said || save.isPending}>Save</button>
        {said && <button type="button" onClick={() => { setSaid(undefined); save.reset() }}>Cancel</button>}
        <span className="text-muted">{p.from === 'settings' ? 'Chosen here. It takes precedence over chela.yaml.' : 'From chela.yaml. What you save here takes precedence.'}</span>
      </div>
      <Vectors named={p.named.jobs.embedding} />
      {p.problem && <p className="danger">{p.problem}</p>}
      {save.error && <p className="danger" role="alert">{save.error.message}</p>}
    </form>
  )
}

/** Vectors says how far the vectors of memories are, and what is in the way. */
function Vectors({ named }: { named?: string }) {
  const status = useQuery({ queryKey: ['vectors', named], queryFn: () => must(api.GET('/api/recall/vectors')), enabled: !!named, refetchInterval: 10_000 })
  if (!named || !status.data) return null
  const { problem, kept, waiting } = status.data
  return problem
    ? <p className="danger">{problem}</p>
    : <p className="text-muted">{kept} passages of memory have a vector of {named}{waiting > 0 ? `, ${waiting} wait` : ''}.</p>
}
