import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api, done, must, type Schemas } from '../api/client'
import { encode } from '../lib/encode'
import { useMay } from '../lib/me'
import { useWord } from '../lib/project'
import { Diff } from '../ui/Diff'
import { Markdown } from '../ui/Markdown'
import { State } from '../ui/State'
import { Table } from '../ui/Table'
import { ViewHead } from '../ui/ViewHead'
import { Whole } from '../ui/Whole'

type Entry = Schemas['SkillEntry']
type Review = Schemas['SkillReview']
type Finding = Schemas['SkillFinding']

/** from says where a skill is from. */
function from(e: Entry) {
  if (e.agent) return `workspace of ${e.agent.replace(/^agent:/, '')}`
  if (e.source.kind === 'builtin') return 'ships with Chela'
  return [e.source.kind, e.source.url || e.source.path, e.source.commit?.slice(0, 12)].filter(Boolean).join(' ')
}

/** who says who has a skill, and why nobody has it. */
function who(e: Entry) {
  if (e.disabled) return 'nobody: it is switched off'
  if (e.missing?.length) return <span className="text-warn">nobody: it needs {e.missing.join(', ')}</span>
  const names = e.agents?.length ? e.agents.join(', ') : e.agent ? e.agent.replace(/^agent:/, '') : 'all agents'
  return e.always ? `${names}, always in the prompt` : names
}

/** Skills lists what agents are taught, and installs what an administrator has looked at. */
export function Skills() {
  const queries = useQueryClient()
  const admin = useMay('admin')
  const [chosen, setChosen] = useWord('filter')
  const file = useRef<HTMLInputElement>(null)
  const [archive, setArchive] = useState<{ archive: string; path: string }>()
  const q = useQuery({ queryKey: ['skill', 'list'], queryFn: () => must(api.GET('/api/skills')) })
  const stale = { onSettled: () => void queries.invalidateQueries({ queryKey: ['skill'] }) }
  const at = (name: string) => ({ params: { path: { name } } })
  const source = (path: string) => ({ kind: 'archive' as const, path })
  const review = useMutation({
    mutationFn: async (f: File) => {
      const read = await encode(f)
      const body = { archive: read.data, path: read.name }
      setArchive(body)
      return must(api.POST('/api/skills/review', { body: { archive: body.archive, source: source(body.path) } }))
    },
  })
  const install = useMutation({
    mutationFn: (r: Review) => must(api.POST('/api/skills', { body: { archive: archive?.archive ?? '', source: source(archive?.path ?? ''), digest: r.digest } })),
    onSuccess: () => review.reset(),
    ...stale,
  })
  const set = useMutation({ mutationFn: (c: { name: string; disabled: boolean }) => must(api.PATCH('/api/skills/{name}', { ...at(c.name), body: { disabled: c.disabled } })), ...stale })
  const remove = useMutation({ mutationFn: (name: string) => done(api.DELETE('/api/skills/{name}', at(name))), ...stale })
  const shown = chosen || (q.data?.skills[0]?.name ?? '')
  const wrong = review.error ?? install.error ?? set.error ?? remove.error
  return (
    <Whole>
      <ViewHead title="Skills" total={q.data?.skills.length} primary={admin && { name: 'Install', act: () => file.current?.click() }} />
      <input ref={file} type="file" accept=".zip" aria-label="Archive of a skill" className="sr-only" tabIndex={-1} onChange={(e) => {
        const f = e.target.files?.[0]
        e.target.value = ''
        if (f) review.mutate(f)
      }} />
      {wrong && <p className="danger" role="alert">{wrong.message}</p>}
      {review.data && <Reviewed of={review.data} busy={install.isPending} onInstall={() => install.mutate(review.data)} onLeave={() => review.reset()} />}
      <State pending={q.isPending} error={q.error} empty={q.data?.skills.length === 0} hint="No skills. Install one with: chela skill install FOLDER">
        <Table
          heads={['Skill', 'What it is for', { name: 'From', from: 52 }, 'Who has it', '']}
          rows={(q.data?.skills ?? []).map((e) => ({
            key: `${e.agent ?? ''}/${e.name}`,
            cells: [
              <code key="name">{e.name}</code>, e.description, from(e), <span key="who">{who(e)}</span>,
              <span key="do" className="flex flex-wrap gap-2">
                <button type="button" aria-label={`Show ${e.name}`} aria-expanded={shown === e.name} onClick={() => setChosen(e.name)}>Show</button>
                {admin && !e.agent && <button type="button" aria-label={`${e.disabled ? 'Switch on' : 'Switch off'} ${e.name}`} disabled={set.isPending} onClick={() => set.mutate({ name: e.name, disabled: !e.disabled })}>{e.disabled ? 'Switch on' : 'Switch off'}</button>}
                {admin && !e.agent && e.source.kind !== 'builtin' && <button type="button" aria-label={`Remove ${e.name}`} disabled={remove.isPending} onClick={() => confirm(`Remove the skill “${e.name}”?`) && remove.mutate(e.name)}>Remove</button>}
              </span>,
            ],
          }))}
        />
      </State>
      {q.data?.broken.map((b) => <p key={b.agent + b.folder} className="text-warn">The folder {b.folder} in the workspace of {b.agent.replace(/^agent:/, '')} is no skill: {b.why}</p>)}
      {shown && <Shown name={shown} agent={q.data?.skills.find((e) => e.name === shown)?.agent ?? ''} />}
    </Whole>
  )
}

/** Shown is a skill whole. */
function Shown(p: { name: string; agent: string }) {
  const q = useQuery({ queryKey: ['skill', p.agent, p.name], queryFn: () => must(api.GET('/api/skills/{name}', { params: { path: { name: p.name }, query: { agent: p.agent } } })) })
  return (
    <div className="card">
      <h3>{p.name}</h3>
      <State pending={q.isPending} error={q.error} empty={false} hint="">
        {q.data && <><About of={q.data} findings={q.data.findings} /><Markdown text={q.data.instructions} /></>}
      </State>
    </div>
  )
}

/** About says what a skill allows, needs and holds, and what a person should see of it. */
function About({ of, findings }: { of: { declared: boolean; allowed: string[]; needs: Schemas['SkillNeeds']; files: Schemas['SkillFile'][] }; findings: Finding[] }) {
  const needs = [...(of.needs.programs ?? []), ...(of.needs.secrets ?? [])]
  return (
    <>
      <p>{of.declared ? <>While an agent follows it, it may call {of.allowed.length ? of.allowed.map((t, i) => <span key={t}>{i > 0 && ', '}<code>{t}</code></span>) : 'no tool'}.</> : 'It declares no tools.'}</p>
      {needs.length > 0 && <p>It needs {needs.join(', ')}.</p>}
      {of.files.length > 0 && <p>It holds {of.files.map((f) => `${f.path} (${f.bytes} bytes)`).join(', ')}.</p>}
      {findings.length > 0 && (
        <ul aria-label="What to look at">
          {findings.map((f, i) => <li key={i} className={f.kind === 'link' ? '' : f.refused ? 'danger' : 'text-warn'}><code>{f.file}{f.line ? `:${f.line}` : ''}</code> {f.text}</li>)}
        </ul>
      )}
    </>
  )
}

/** Reviewed is a skill from elsewhere, before anything of it is kept. */
function Reviewed(p: { of: Review; busy: boolean; onInstall: () => void; onLeave: () => void }) {
  const r = p.of
  return (
    <section className="card" aria-label={`The skill ${r.name}, not installed`}>
      <h3>{r.name} is not installed yet</h3>
      <p>{r.description}</p>
      <About of={r} findings={r.findings} />
      {r.scripts.length > 0 && <p>Agents may run {r.scripts.join(', ')}, each time after an approval.</p>}
      {r.refused && <p className="danger" role="alert">It cannot be installed: {r.refused}</p>}
      {r.same && <p>It is the one that is there.</p>}
      {r.diff ? <Diff text={r.diff} of={r.name} /> : <Markdown text={r.instructions} />}
      <div className="flex gap-2">
        {!r.refused && !r.same && <button type="button" className="primary" disabled={p.busy} onClick={p.onInstall}>Install exactly this</button>}
        <button type="button" onClick={p.onLeave}>Leave it</button>
      </div>
    </section>
  )
}
