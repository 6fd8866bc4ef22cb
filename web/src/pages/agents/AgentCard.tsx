import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must, type Schemas } from '../../api/client'
import { type Agent, agentName } from '../../lib/agents'
import { count } from '../../lib/count'
import type { useRows } from '../../lib/rows'
import { Avatar } from '../../ui/Avatar'
import { Presence } from '../../ui/Presence'

/** short writes a large number shortly. */
export const short = (n: number) => (n < 10_000 ? String(n) : n < 10_000_000 ? `${Math.round(n / 1_000)}k` : `${Math.round(n / 1_000_000)}M`)

/** useLimits are the budgets of an agent. */
export function useLimits(agent: string): Schemas['BudgetOut'][] {
  const q = useQuery({ queryKey: ['budget'], queryFn: () => must(api.GET('/api/budgets')) })
  return (q.data ?? []).filter((b) => b.scope === 'agent' && b.of === `agent:${agent}`)
}

/** Used shows how much of a budget is used: of what is scarcest. */
export function Used({ of: b }: { of: Schemas['BudgetOut'] }) {
  const parts = ([['tokens', b.used.tokens, b.tokens], ['USD', b.used.micro_usd / 1e6, b.usd], ['seconds', b.used.millis / 1e3, b.seconds], ['calls', b.used.calls, b.calls]] as const).filter(([, , most]) => most !== undefined)
  const [name, used, most = 0] = [...parts].sort((x, y) => y[1] / (y[2] || 1) - x[1] / (x[2] || 1))[0] ?? ['', 0, 0]
  if (b.per === 'run') return <p className="m-0! text-xs text-muted">{parts.map(([n, , m]) => `${short(m ?? 0)} ${n}`).join(', ')} for each run</p>
  const share = Math.min(1, used / (most || 1))
  return (
    <div className="text-xs text-muted">
      <span>{short(Math.round(used * 100) / 100)} of {short(most)} {name} {b.per === 'day' ? 'today' : 'in total'}</span>
      <span className="block h-1 w-full bg-line"><span className={`block h-1 ${share > 0.8 ? 'bg-danger' : 'bg-live'}`} style={{ width: `${share * 100}%` }} /></span>
    </div>
  )
}

/** useConduct is how much the word of an agent is worth, and what it did unasked. */
export function useConduct(agent: string): Schemas['LibraryContracts'] | undefined {
  const q = useQuery({ queryKey: ['contract'], queryFn: () => must(api.GET('/api/contracts')) })
  return (q.data ?? []).find((c) => c.agent === `agent:${agent}`)
}

/** Conduct says how often what an agent said was done was not, and what it changed that it was not asked for. */
export function Conduct({ agent }: { agent: string }) {
  const c = useConduct(agent)
  if (!c || (c.said === 0 && c.outside === 0)) return null
  return (
    <p className="m-0! flex flex-wrap gap-x-3 text-xs text-muted">
      {c.said > 0 && <span title="how often a contract said no when it said that something was done" className={c.unmet > 0 ? 'text-warn' : ''}>{c.unmet === 0 ? `said done ${count(c.said, 'time')}, always true` : `said done ${count(c.said, 'time')}, refuted ${c.unmet} (${Math.round(100 * c.rate)} %)`}</span>}
      {c.outside > 0 && <span title="records and files that neither its request nor the ticket that this names does" className="text-warn">{count(c.outside, 'change')} unasked in {count(c.outsideTasks, 'task')}</span>}
    </p>
  )
}

/** elsewhere says how an agent of others is given work. */
export const elsewhere = (a: Agent) => (a.server ? `works elsewhere, given work by the server ${a.server}` : 'works elsewhere, and nothing says how it is given work')

/** AgentCard is an agent at a glance: its role, what it is doing, what it used. */
export function AgentCard({ of: a, place, onOpen }: { of: Agent; place: ReturnType<ReturnType<typeof useRows>['row']>; onOpen: () => void }) {
  const name = agentName(a)
  const { className, ...at } = place
  const limits = useLimits(name)
  const doing = a.doing ?? []
  return (
    <article {...at} aria-label={name} className={`flex min-w-0 flex-col gap-1 border border-line bg-panel p-3 ${a.enabled ? '' : 'border-dashed'} ${className}`} onDoubleClick={onOpen}>
      <div className="flex items-start gap-3">
        <Avatar name={name} agent />
        <div className="min-w-0 flex-1">
          <p className="m-0! flex flex-wrap items-baseline gap-x-2"><button type="button" className="plain text-left font-bold text-agent!" onClick={onOpen}>{name}</button><span className="text-xs text-muted">{a.kind}</span></p>
          <p className="m-0! text-muted">{a.card.display.desc || a.card.display.name}</p>
        </div>
        <div className="flex flex-col items-end gap-1"><Presence of={a.presence} word />{a.enabled && <Link to="/chat" search={{ agent: name } as never} className="text-sm">talk</Link>}</div>
      </div>
      {doing.slice(0, 3).map((d) => (
        <p key={d.run + d.title} className="m-0! truncate border-l-2 border-live pl-2"><Link to="/runs/$id" params={{ id: d.run }}>{d.title || 'a run'}</Link> <span className="text-muted">{d.state}</span></p>
      ))}
      {doing.length > 3 && <p className="m-0! pl-2 text-muted">and {doing.length - 3} more</p>}
      {limits.map((b) => <Used key={b.id} of={b} />)}
      <Conduct agent={name} />
      <p className="mt-auto! mb-0! flex flex-wrap gap-x-3 pt-1 text-xs text-muted">
        {a.card.endpoints ? <span>{elsewhere(a)}</span> : <>
          <span>{(a.tools ?? []).includes('*') ? 'all tools' : count(a.tools?.length, 'tool')}</span>
          <span>{a.model || 'default model'}</span>
        </>}
        <span title="since midnight, UTC">{a.today.calls === 0 ? 'no calls today' : `${count(a.today.calls, 'call')} today, ${short(a.today.input_tokens + a.today.output_tokens)} tokens, ${a.today.cost_usd.toFixed(4)} USD`}</span>
      </p>
    </article>
  )
}
