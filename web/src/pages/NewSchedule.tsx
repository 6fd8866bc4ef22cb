import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, must, type Schemas } from '../api/client'

type Kind = Schemas['ScheduleOut']['scheduleType']

const kinds: Record<string, string> = {
  CRON: 'by a cron expression',
  FIXED_TIMES: 'at times of every day',
  INTERVAL: 'every so many minutes',
  IMMEDIATE: 'once, at once',
}

/** words are the parts of a list that somebody writes with commas or blanks. */
const words = (text: string) => text.split(/[\s,;]+/).filter(Boolean)

/** NewSchedule makes a schedule of any kind. */
export function NewSchedule({ projects }: { projects: { id: string; body: { name: string } }[] }) {
  const queries = useQueryClient()
  const agents = useQuery({ queryKey: ['agent'], queryFn: () => must(api.GET('/api/agents')) })
  const [agent, setAgent] = useState('')
  const [kind, setKind] = useState<Kind>('CRON')
  const [cron, setCron] = useState('0 9 * * MON-FRI')
  const [times, setTimes] = useState('09:00, 17:00')
  const [minutes, setMinutes] = useState('60')
  const [zone, setZone] = useState('UTC')
  const [project, setProject] = useState('')
  const [window, setWindow] = useState('')
  const [threads, setThreads] = useState('')
  const [attempts, setAttempts] = useState('3')
  const body: Schemas['ScheduleBody'] = {
    agentId: agent, scheduleType: kind, timezone: zone, projectId: project || undefined,
    cronExpr: kind === 'CRON' ? cron : undefined,
    timesOfDay: kind === 'FIXED_TIMES' ? words(times) : undefined,
    intervalMinutes: kind === 'INTERVAL' ? Number(minutes) : undefined,
    executorPolicy: { maxAttempts: Number(attempts) },
    inputsPolicy: { windowMinutes: Number(window || 0) * 60, threadFilter: threads },
  }
  const make = useMutation({
    mutationFn: () => must(api.POST('/api/schedules', { body })),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['schedule'] }),
  })
  const submit = (e: FormEvent) => {
    e.preventDefault()
    make.mutate()
  }
  return (
    <form className="row" aria-label="New schedule" onSubmit={submit}>
      <select aria-label="Agent" required value={agent} onChange={(e) => setAgent(e.target.value)}>
        <option value="">Agent…</option>
        {(agents.data ?? []).filter((a) => a.enabled).map((a) => {
          const name = a.card.agent_id.replace('agent:', '')
          return <option key={name}>{name}</option>
        })}
      </select>
      <select aria-label="Kind" value={kind} onChange={(e) => setKind(e.target.value)}>
        {Object.entries(kinds).map(([value, text]) => <option key={value} value={value}>{text}</option>)}
      </select>
      {kind === 'CRON' && <input aria-label="Cron expression" title="minute hour day month weekday, with seconds first when there are six" required value={cron} onChange={(e) => setCron(e.target.value)} />}
      {kind === 'FIXED_TIMES' && <input aria-label="Times of the day" title="such as 09:00, 17:30" required value={times} onChange={(e) => setTimes(e.target.value)} />}
      {kind === 'INTERVAL' && <input aria-label="Minutes" title="from midnight on" type="number" min="1" max="1440" required value={minutes} onChange={(e) => setMinutes(e.target.value)} />}
      {kind !== 'IMMEDIATE' && <input aria-label="Time zone" required value={zone} onChange={(e) => setZone(e.target.value)} />}
      <select aria-label="For" value={project} onChange={(e) => setProject(e.target.value)}>
        <option value="">each active project</option>
        {projects.map((p) => <option key={p.id} value={p.id}>{p.body.name}</option>)}
      </select>
      <input aria-label="Attempts" title="how often one that fails is begun" type="number" min="1" max="10" required value={attempts} onChange={(e) => setAttempts(e.target.value)} />
      <input aria-label="Hours looked back" title="look only at what changed within so many hours; empty for all" placeholder="hours back" type="number" min="1" value={window} onChange={(e) => setWindow(e.target.value)} />
      <input aria-label="Threads" title="of the threads look only at those that fit a filter; empty for all" placeholder="threads that fit a filter" value={threads} onChange={(e) => setThreads(e.target.value)} />
      <button type="submit" disabled={make.isPending}>Make the schedule</button>
      {make.error && <p className="bad" role="alert">{make.error.message}</p>}
    </form>
  )
}
