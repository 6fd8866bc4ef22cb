import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, must, type Schemas } from '../../api/client'
import { agentName, useAgents } from '../../lib/agents'
import { expression, groups, spokenDays, weekly } from '../../lib/cron'
import { takeFocus } from '../../lib/focus'
import { Deliver, meant, said } from './Deliver'
import { NextTimes } from './NextTimes'
import type { Schedule } from './when'

/** kinds are the ways to say when; WEEKLY is a cron expression in words. */
const kinds: Record<string, string> = {
  WEEKLY: 'on days, at a time',
  FIXED_TIMES: 'every day, at some times',
  INTERVAL: 'every so many minutes',
  ONCE: 'once, at a time',
  IMMEDIATE: 'once, now',
  CRON: 'by a cron expression',
}

/** days are the choices of days, as a cron expression has them. */
const days = [...Object.entries(groups), ...['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'].map((d) => [d, spokenDays(d) ?? d] as const)]

/** words are the parts of a list that somebody writes with commas or blanks. */
const words = (text: string) => text.split(/[\s,;]+/).filter(Boolean)

/** zones are the time zones that this browser knows. */
const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')]

/** fieldsOf are what a form shows of a schedule, or of one that is to be. */
function fieldsOf(s: Schedule | undefined) {
  const cron = s?.cronExpr ?? '0 9 * * MON-FRI'
  const w = weekly(cron)
  const two = (n: number | undefined) => String(n ?? 9).padStart(2, '0')
  return {
    agent: s?.agentId ?? '', kind: s ? (s.scheduleType === 'CRON' && w ? 'WEEKLY' : s.scheduleType) : 'WEEKLY', days: w?.days ?? 'MON-FRI', time: `${two(w?.hour)}:${String(w?.minute ?? 0).padStart(2, '0')}`, cron, times: (s?.timesOfDay ?? ['09:00', '17:00']).join(', '), minutes: String(s?.intervalMinutes ?? 60),
    zone: s?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone, project: s?.projectId ?? '', attempts: String(s?.executorPolicy.maxAttempts ?? 3), hours: s?.inputsPolicy.windowMinutes ? String(s.inputsPolicy.windowMinutes / 60) : '',
    threads: s?.inputsPolicy.threadFilter ?? '', once: s?.onceAt ?? '', message: s?.message ?? '', deliver: said(s?.deliver),
  }
}

/** expressionOf is the cron expression of days and a time such as 09:30. */
function expressionOf(of: string, time: string): string {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return expression({ days: of, hour, minute })
}

/** bodyOf is what fields say to the daemon. */
function bodyOf(f: ReturnType<typeof fieldsOf>): Schemas['ScheduleBody'] {
  return {
    agentId: f.agent, scheduleType: f.kind === 'WEEKLY' ? 'CRON' : f.kind, timezone: f.zone, projectScope: f.project ? 'PROJECT' : 'GLOBAL', projectId: f.project,
    message: f.message, deliver: meant(f.deliver),
    ...(f.kind === 'ONCE' ? { onceAt: f.once } : {}),
    ...(f.kind === 'CRON' ? { cronExpr: f.cron } : {}),
    ...(f.kind === 'WEEKLY' ? { cronExpr: expressionOf(f.days, f.time) } : {}),
    ...(f.kind === 'FIXED_TIMES' ? { timesOfDay: words(f.times) } : {}),
    ...(f.kind === 'INTERVAL' ? { intervalMinutes: Number(f.minutes) } : {}),
    executorPolicy: { maxAttempts: Number(f.attempts) },
    inputsPolicy: { windowMinutes: Math.round(Number(f.hours || 0) * 60), threadFilter: f.threads },
  }
}

/** ScheduleForm makes a schedule of any kind, or edits one; it tells when it would work before it is saved. */
export function ScheduleForm({ projects, of, onClose }: { projects: { id: string; body: { name: string } }[]; of: Schedule | undefined; onClose: () => void }) {
  const queries = useQueryClient()
  const agents = useAgents()
  const [f, setF] = useState(() => fieldsOf(of))
  const set = (name: keyof typeof f) => (e: { target: { value: string } }) => setF({ ...f, [name]: e.target.value })
  const body = bodyOf(f)
  const save = useMutation({
    mutationFn: () => (of ? must(api.PUT('/api/schedules/{id}', { params: { path: { id: of.scheduleId } }, body })) : must(api.POST('/api/schedules', { body }))),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['schedule'] })
      if (of) onClose()
    },
  })
  const submit = (e: FormEvent) => {
    e.preventDefault()
    save.mutate()
  }
  return (
    <form className="card flex flex-wrap items-center gap-2" aria-label={of ? `Edit the schedule of ${of.agentId}` : 'New schedule'} onSubmit={submit} onKeyDown={(e) => e.key === 'Escape' && onClose()}>
      <select ref={takeFocus} aria-label="Agent" required value={f.agent} onChange={set('agent')}>
        <option value="">Agent…</option>
        {(agents.data ?? []).filter((a) => a.enabled || a.card.agent_id === `agent:${f.agent}`).map((a) => {
          const name = agentName(a)
          return <option key={name}>{name}</option>
        })}
      </select>
      <select aria-label="Kind" value={f.kind} onChange={set('kind')}>
        {Object.entries(kinds).map(([value, text]) => <option key={value} value={value}>{text}</option>)}
      </select>
      {f.kind === 'WEEKLY' && (
        <>
          <select aria-label="Days" value={f.days} onChange={set('days')}>
            {!days.some(([d]) => d === f.days) && <option value={f.days}>{spokenDays(f.days)}</option>}
            {days.map(([value, name]) => <option key={value} value={value}>{name}</option>)}
          </select>
          <label className="text-muted">at <input aria-label="Time" type="time" required value={f.time} onChange={set('time')} /></label>
        </>
      )}
      {f.kind === 'CRON' && <input aria-label="Cron expression" title="minute hour day month weekday, with seconds first when there are six" required value={f.cron} onChange={set('cron')} />}
      {f.kind === 'FIXED_TIMES' && <input aria-label="Times of the day" title="such as 09:00, 17:30" required value={f.times} onChange={set('times')} />}
      {f.kind === 'INTERVAL' && <input aria-label="Minutes" title="from midnight on" type="number" min="1" max="1440" required value={f.minutes} onChange={set('minutes')} />}
      {f.kind === 'ONCE' && <input aria-label="At" title="such as 2026-12-01 09:00" {...(f.once.includes('Z') ? {} : { type: 'datetime-local' })} required value={f.once.replace(' ', 'T')} onChange={set('once')} />}
      {f.kind !== 'IMMEDIATE' && <input aria-label="Time zone" list="zones" required value={f.zone} onChange={set('zone')} />}
      <datalist id="zones">{zones.map((z) => <option key={z} value={z} />)}</datalist>
      <select aria-label="For" value={f.project} onChange={set('project')}>
        <option value="">each active project</option>
        {projects.map((p) => <option key={p.id} value={p.id}>{p.body.name}</option>)}
      </select>
      <textarea aria-label="What the agent is asked" placeholder="What the agent is asked each time; empty for its usual work" rows={2} maxLength={10_000} className="w-full" value={f.message} onChange={set('message')} />
      <Deliver value={f.deliver} onValue={(deliver) => setF({ ...f, deliver })} />
      <details className="w-full" open={Number(f.attempts) !== 3 || f.hours !== '' || f.threads !== ''}>
        <summary className="cursor-pointer text-muted">More: attempts, what is looked at</summary>
        <div className="row mb-0!">
          <label className="text-muted">attempts <input aria-label="Attempts" title="how often one that fails is begun" type="number" min="1" max="10" required className="w-[7ch]" value={f.attempts} onChange={set('attempts')} /></label>
          <input aria-label="Hours looked back" title="look only at what changed within so many hours; empty for all" placeholder="hours back" type="number" min="0" step="any" className="w-[14ch]" value={f.hours} onChange={set('hours')} />
          <input aria-label="Threads" title="of the threads look only at those that fit a filter; empty for all" placeholder="threads that fit a filter" value={f.threads} onChange={set('threads')} />
        </div>
      </details>
      <NextTimes of={body} />
      <button type="submit" className="primary" disabled={save.isPending}>{of ? 'Save' : 'Create'}</button>
      <button type="button" onClick={onClose}>Close <kbd>Esc</kbd></button>
      {save.isSuccess && <span role="status" className="text-up">Created.</span>}
      {save.error && <p className="danger m-0 w-full" role="alert">{save.error.message}</p>}
    </form>
  )
}
