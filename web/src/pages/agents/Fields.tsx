import { useQuery } from '@tanstack/react-query'
import { api, must } from '../../api/client'
import { type AgentForm, kinds, networks, permissions, strategies } from '../../lib/agentform'
import { Tools } from './Tools'

const longest = 6_000 // bytes of a prompt; see org.MaxPrompt
const bytes = (text: string) => new TextEncoder().encode(text).length

/** Fields are the fields of an agent. */
export function Fields({ of: f, onChange, may }: { of: AgentForm; onChange: (to: AgentForm) => void; may: boolean }) {
  const models = useQuery({ queryKey: ['model'], queryFn: () => must(api.GET('/api/models')) }).data ?? []
  const set = <K extends keyof AgentForm>(name: K, value: AgentForm[K]) => onChange({ ...f, [name]: value })
  const size = bytes(f.prompt)
  const text = (name: 'name' | 'desc' | 'tokens' | 'usd' | 'seconds' | 'parallel', label: string, hint = '') => (
    <label className="grid gap-0.5"><span className="text-xs text-muted">{label}</span><input aria-label={label} placeholder={hint} value={f[name]} onChange={(e) => set(name, e.target.value)} className="w-full" inputMode={['name', 'desc'].includes(name) ? 'text' : 'decimal'} /></label>
  )
  return (
    <fieldset disabled={!may} className="grid gap-3">
      <div className="grid gap-2 @xl:grid-cols-[1fr_2fr]">{text('name', 'Display name')}{text('desc', 'What it does, in a line')}</div>
      <div className="grid gap-2 @xl:grid-cols-3">
        <label className="grid gap-0.5"><span className="text-xs text-muted">Role</span><select aria-label="Role" value={f.kind} onChange={(e) => set('kind', e.target.value)}>{kinds.map((k) => <option key={k}>{k}</option>)}</select></label>
        <label className="grid gap-0.5">
          <span className="text-xs text-muted">Model</span>
          <input aria-label="Model" list="agent-models" placeholder="that of its job" value={f.model} onChange={(e) => set('model', e.target.value)} className="w-full" />
          <datalist id="agent-models">{models.map((m) => <option key={m.name} value={`${m.name}/${m.model}`} />)}</datalist>
        </label>
        {text('parallel', 'Runs at once')}
      </div>
      <label className="grid gap-0.5">
        <span className="flex justify-between text-xs text-muted"><span>Prompt</span><span className={size > longest ? 'text-danger' : ''}>{size} of {longest} bytes</span></span>
        <textarea aria-label="Prompt" value={f.prompt} onChange={(e) => set('prompt', e.target.value)} rows={8} className="max-h-128 [field-sizing:content]" />
      </label>
      <Tools chosen={f.tools} onChange={(tools) => set('tools', tools)} />
      <fieldset>
        <legend className="mb-0.5 text-xs text-muted">May</legend>
        <div className="grid grid-cols-1 gap-px @md:grid-cols-2 @2xl:grid-cols-3">
          {permissions.map(([p, what]) => <label key={p} className="flex items-center gap-2"><input type="checkbox" className="accent-accent" checked={f.may.includes(p)} onChange={(e) => set('may', permissions.map(([x]) => x).filter((x) => (x === p ? e.target.checked : f.may.includes(x))))} /> {what}</label>)}
        </div>
      </fieldset>
      <div className="grid gap-2 @xl:grid-cols-2">
        <label className="grid gap-0.5"><span className="text-xs text-muted">Network</span><select aria-label="Network" value={f.network} onChange={(e) => set('network', e.target.value)}>{networks.map((n) => <option key={n}>{n}</option>)}</select></label>
        <label className="grid gap-0.5"><span className="text-xs text-muted">Of a long conversation, the older part</span><select aria-label="Long conversations" value={f.context} onChange={(e) => set('context', e.target.value)}>{strategies.map(([s, what]) => <option key={s} value={s}>{what}</option>)}</select></label>
        <label className="flex items-end gap-2 pb-1"><input type="checkbox" className="accent-accent" checked={f.sandbox} onChange={(e) => set('sandbox', e.target.checked)} /> in a sandbox</label>
      </div>
      <fieldset>
        <legend className="mb-0.5 text-xs text-muted">A task of it takes at most (nothing: no bound)</legend>
        <div className="grid grid-cols-3 gap-2">{text('tokens', 'Tokens')}{text('usd', 'USD')}{text('seconds', 'Seconds')}</div>
      </fieldset>
    </fieldset>
  )
}
