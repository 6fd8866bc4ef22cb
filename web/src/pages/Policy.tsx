import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { api, done, must, type Schemas } from '../api/client'
import { agentName, useAgents } from '../lib/agents'
import { count } from '../lib/count'
import { parsed } from '../lib/encode'
import { useProjects } from '../lib/project'
import { recent } from '../lib/when'
import { useWho } from '../lib/who'
import { State } from '../ui/State'
import { Table } from '../ui/Table'
import { Whole } from '../ui/Whole'
import { Lately } from './log/Lately'

type Rule = Schemas['GuardRule']
type Case = Schemas['PolicyCase']

const conditions = ['tools', 'risks', 'agents', 'projects', 'roles', 'channels', 'via', 'folders', 'commands', 'hosts'] as const

/** fits says in words which calls a rule is about. */
function fits(r: Rule): string {
  return conditions.filter((c) => (r[c] ?? []).length > 0).map((c) => `${c}: ${(r[c] ?? []).join(', ')}`).join('; ') || 'every call'
}

/** long is a time in nanoseconds in the largest unit that writes it whole. */
function long(ns: number): string {
  const minutes = ns / 60e9
  const [by, word] = minutes % 1440 === 0 ? [1440, 'day'] : minutes % 60 === 0 ? [60, 'hour'] : [1, 'minute']
  return count(minutes / by, word)
}

/** Policy shows what agents are permitted beside the defaults, and explains a decision. */
export function Policy() {
  const q = useQuery({ queryKey: ['policy'], queryFn: () => must(api.GET('/api/policy')) })
  const p = q.data?.policy
  return (
    <Whole>
      <h2>Policy</h2>
      <State pending={q.isPending} error={q.error}>
        <p className="muted">{q.data?.file}</p>
        {q.data?.error && <p className="danger">It cannot be read, so every call is denied: {q.data.error}</p>}
        {p && !q.data?.error && <p>Approvals expire after {long(p.wait)} and need the role {p.approver}. After data from outside: {p.after_untrusted_data}.</p>}
        <h3>Rules</h3>
        <p className="muted">The first rule that fits decides, then the allowances, then the defaults.</p>
        <State pending={false} error={null} empty={(p?.rules ?? []).length === 0} hint="No rules: the defaults hold.">
          <Table
            heads={['Rule', 'Calls', 'Decides']}
            rows={(p?.rules ?? []).map((r) => ({ key: r.name, cells: [r.name, fits(r), `${r.answer}${r.trusting ? ', also after data from outside' : ''}${r.wait ? `, expires after ${long(r.wait)}` : ''}`] }))}
          />
        </State>
        {(p?.folders ?? []).length > 0 && <h3>Folders</h3>}
        {(p?.folders ?? []).map((f) => (
          <p key={`${f.path} ${(f.agents ?? []).join()} ${(f.projects ?? []).join()}`}>{f.path}: {f.write ? 'read and write' : 'read'}{f.secrets ? ', also files with secrets' : ''}, for {(f.agents ?? []).join(', ') || 'all agents'} in {(f.projects ?? []).join(', ') || 'all projects'}</p>
        ))}
        <Explain />
        <Allowances />
        <Asked />
        <Lately name="What became of the policy" of="policy" space="policy" says={became} />
        {q.data?.text && <details><summary>The file</summary><pre>{q.data.text}</pre></details>}
      </State>
    </Whole>
  )
}

/** Explain tells what would be decided about a call. */
function Explain() {
  const agents = useAgents()
  const tools = useQuery({ queryKey: ['tool'], queryFn: () => must(api.GET('/api/tools')) })
  const projects = useProjects()
  const [c, setCase] = useState<Case>({ agent: 'coder', tool: 'shell_exec', role: 'editor', via: 'person' })
  const [args, setArgs] = useState('{"command":"go test ./..."}')
  const [untrusted, setUntrusted] = useState('')
  const test = useMutation({
    mutationFn: () => must(api.POST('/api/policy/test', { body: { ...c, args: parsed(args), untrusted: untrusted.split(',').map((f) => f.trim()).filter(Boolean) } })),
  })
  const change = (more: Partial<Case>) => setCase({ ...c, ...more })
  const d = test.data?.decision
  return (
    <>
      <h3>What would be decided?</h3>
      <State pending={agents.isPending || tools.isPending || projects.isPending} error={agents.error ?? tools.error ?? projects.error}>
        <form onSubmit={(e: FormEvent) => { e.preventDefault(); test.mutate() }}>
          <div className="row">
            <label>Agent <select aria-label="Agent" value={c.agent} onChange={(e) => change({ agent: e.target.value })}>
              {(agents.data ?? []).map((a) => <option key={a.card.agent_id}>{agentName(a)}</option>)}
            </select></label>
            <label>Tool <select aria-label="Tool" value={c.tool} onChange={(e) => change({ tool: e.target.value })}>{(tools.data ?? []).map((t) => <option key={t.name}>{t.name}</option>)}</select></label>
            <label>In project <select aria-label="In project" value={c.project ?? ''} onChange={(e) => change({ project: e.target.value })}>
              <option value="">none</option>
              {(projects.data?.items ?? []).map((p) => <option key={p.id} value={p.id}>{p.body.name}</option>)}
            </select></label>
            <label>For the role <select aria-label="For the role" value={c.role} onChange={(e) => change({ role: e.target.value as NonNullable<Case['role']> })}>
              {['viewer', 'editor', 'admin', 'owner'].map((r) => <option key={r}>{r}</option>)}
            </select></label>
            <label>By <select aria-label="By" value={c.via} onChange={(e) => change({ via: e.target.value as NonNullable<Case['via']> })}>
              {['person', 'schedule', 'workflow', 'agent'].map((v) => <option key={v}>{v}</option>)}
            </select></label>
            <label>After data from <input aria-label="After data from" type="text" placeholder="hosts, files, programs" value={untrusted} onChange={(e) => setUntrusted(e.target.value)} /></label>
          </div>
          <textarea aria-label="Arguments" rows={3} value={args} onChange={(e) => setArgs(e.target.value)} />
          <button type="submit" disabled={test.isPending}>Explain</button>
        </form>
      </State>
      {test.error && <p className="danger" role="alert">{test.error.message}</p>}
      {d && (
        <p role="status">
          <b className={d.verdict === 'allow' ? 'up' : d.verdict === 'deny' ? 'danger' : ''}>{d.verdict}</b>, by the rule {d.rule} ({test.data?.risk}). {d.text}
          {d.verdict === 'ask' && ` A person with the role ${d.approver} is asked.`}
        </p>
      )}
    </>
  )
}

/** Allowances shows the commands that people allow for always. */
function Allowances() {
  const queries = useQueryClient()
  const q = useQuery({ queryKey: ['policy', 'allowances'], queryFn: () => must(api.GET('/api/policy/allowances')) })
  const forget = useMutation({
    mutationFn: (id: string) => done(api.DELETE('/api/policy/allowances/{id}', { params: { path: { id } } })),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['policy'] }),
  })
  return (
    <>
      <h3>Allowances</h3>
      {forget.error && <p className="danger" role="alert">{forget.error.message}</p>}
      <State pending={q.isPending} error={q.error} empty={q.data?.length === 0} hint="No command is allowed for always.">
        <Table
          heads={['Agent', 'Command', 'Folder', '']}
          rows={(q.data ?? []).map((w) => ({
            key: w.id, cells: [w.agent.replace('agent:', ''), `${w.tool}: ${w.shape}`, w.folder, <button key="f" type="button" aria-label={`Forget ${w.shape}`} disabled={forget.isPending} onClick={() => forget.mutate(w.id)}>Forget</button>],
          }))}
        />
      </State>
    </>
  )
}

/** became says what an event of the policy is about. */
function became(e: Schemas['Logged']): string {
  const said = e.payload as { error?: string; policy?: Schemas['GuardPolicy']; agent?: string; tool?: string; shape?: string }
  if (e.type === 'policy.allowed') return `allowed ${(said.agent ?? '').replace('agent:', '')} ${said.tool}: ${said.shape}`
  if (e.type === 'policy.forgotten') return 'took an allowance back'
  return said.error ? `could not be read: ${said.error}` : `read, with ${count((said.policy?.rules ?? []).length, 'rule')}`
}

const mostAsked = 8

/** Asked shows the calls that people were asked about last, the rule that had them asked, and the answer. */
function Asked() {
  const who = useWho()
  const q = useQuery({ queryKey: ['approval', 'all'], queryFn: () => must(api.GET('/api/approvals', { params: { query: { limit: 200 } } })) })
  const calls = (q.data ?? []).flatMap((a) => (a.calls ?? []).map((call) => ({ a, call }))).slice(0, mostAsked)
  return (
    <section aria-label="Asked last">
      <h3>Asked last <Link to="/approvals" search={{ status: 'all' } as never} className="ml-2 text-sm font-normal">all approvals</Link></h3>
      <State pending={q.isPending} error={q.error} empty={calls.length === 0} hint="Nobody was asked about a call yet.">
        <Table
          heads={['When', 'Agent', 'Call', 'Why it was asked', 'Answer']}
          rows={calls.map(({ a, call }) => ({
            key: call.call,
            cells: [recent(a.created_at), call.agent.replace('agent:', ''), call.shape ? `${call.tool}: ${call.shape}` : call.tool, call.why || call.rule, a.status === 'pending' ? <span key="waits" className="text-warn">waits</span> : `${a.answer?.choice ?? a.status}${a.by ? `, ${who(a.by)}` : ''}`],
          }))}
        />
      </State>
    </section>
  )
}
