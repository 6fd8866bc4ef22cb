import type { Schemas } from '../api/client'

type Agent = Schemas['OrgAgent']
export type Permission = 'records' | 'file' | 'shell' | 'git' | 'browser' | 'network'

/** permissions are what an agent may touch at all, and what each means. */
export const permissions: [Permission, string][] = [
  ['records', 'change records and memories'], ['file', 'read and write files'], ['shell', 'run programs'], ['git', 'use Git'], ['browser', 'open pages'], ['network', 'call other machines'],
]
export const kinds = ['specialist', 'controller', 'checker']
export const strategies: [string, string][] = [['', 'a summary stands for it'], ['truncate', 'it is left out when the window is full'], ['sliding', 'only the newest are shown']]
export const networks = ['none', 'egress-restricted', 'egress-allowed']

/** AgentForm is what of an agent is edited, as fields hold it. */
export type AgentForm = {
  name: string; desc: string; kind: string; model: string; prompt: string; enabled: boolean; tools: string[]; may: Permission[]
  tokens: string; usd: string; seconds: string; parallel: string; network: string; sandbox: boolean; context: string
}

const amount = (n: number | undefined) => (n ? String(n) : '')

/** formOf fills the fields from an agent. */
export function formOf(a: Agent): AgentForm {
  return {
    name: a.card.display.name, desc: a.card.display.desc ?? '', kind: a.kind, model: a.model ?? '', prompt: a.prompt, enabled: a.enabled, tools: a.tools ?? [],
    may: permissions.map(([p]) => p).filter((p) => a.permissions[p]),
    tokens: amount(a.budget.max_tokens), usd: amount(a.budget.max_cost_usd), seconds: amount(a.budget.max_runtime_sec), parallel: String(a.card.limits.max_concurrency),
    network: a.card.security.network, sandbox: a.card.security.sandbox, context: a.context === 'summarize' ? '' : a.context ?? '',
  }
}

/** empty is a form for an agent that is made. */
export const empty: AgentForm = {
  name: '', desc: '', kind: 'specialist', model: '', prompt: '', enabled: true, tools: [], may: [], tokens: '', usd: '', seconds: '', parallel: '10', network: 'none', sandbox: true, context: '',
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
const number = (text: string) => (text.trim() === '' ? null : Number(text))

/** changed names the fields in which two forms differ. */
export function changed(now: AgentForm, before: AgentForm): (keyof AgentForm)[] {
  return (Object.keys(now) as (keyof AgentForm)[]).filter((f) => !same(now[f], before[f]))
}

/** patchOf is the merge patch that makes one form of another: null clears. */
export function patchOf(now: AgentForm, before: AgentForm): Record<string, unknown> {
  const diff = new Set(changed(now, before))
  const some = (fields: [keyof AgentForm, string, unknown][]) => Object.fromEntries(fields.filter(([f]) => diff.has(f)).map(([, name, value]) => [name, value]))
  const part = (name: string, of: Record<string, unknown>) => (Object.keys(of).length > 0 ? { [name]: of } : {})
  const card = {
    ...part('display', some([['name', 'name', now.name.trim()], ['desc', 'desc', now.desc.trim()]])),
    ...part('limits', some([['parallel', 'max_concurrency', Number(now.parallel)]])),
    ...part('security', some([['network', 'network', now.network], ['sandbox', 'sandbox', now.sandbox]])),
  }
  return {
    ...part('card', card),
    ...some([['kind', 'kind', now.kind], ['model', 'model', now.model.trim() || null], ['context', 'context', now.context || null], ['prompt', 'prompt', now.prompt], ['enabled', 'enabled', now.enabled], ['tools', 'tools', now.tools]]),
    ...(diff.has('may') ? { permissions: Object.fromEntries(permissions.map(([p]) => [p, now.may.includes(p)])) } : {}),
    ...part('budget', some([['tokens', 'max_tokens', number(now.tokens)], ['usd', 'max_cost_usd', number(now.usd)], ['seconds', 'max_runtime_sec', number(now.seconds)]])),
  }
}

/** agentOf is the agent that a form makes. */
export function agentOf(id: string, f: AgentForm): Agent {
  const budget = { ...(f.tokens ? { max_tokens: Number(f.tokens) } : {}), ...(f.usd ? { max_cost_usd: Number(f.usd) } : {}), ...(f.seconds ? { max_runtime_sec: Number(f.seconds) } : {}) }
  const may = Object.fromEntries(permissions.map(([p]) => [p, f.may.includes(p)]))
  return {
    card: {
      v: 'clutch/0.1', agent_id: `agent:${id.trim()}`, display: { name: f.name.trim(), desc: f.desc.trim() }, capabilities: [], limits: { max_concurrency: Number(f.parallel), max_runtime_sec: 900 }, security: { sandbox: f.sandbox, network: f.network },
    },
    kind: f.kind, prompt: f.prompt, tools: f.tools, enabled: f.enabled, permissions: may, budget, ...(f.model.trim() ? { model: f.model.trim() } : {}), ...(f.context ? { context: f.context as Agent['context'] } : {}),
  }
}
