import type { Schemas } from '../api/client'
import { type Graph, graphOf, type Step } from './graph'

/** Draft is the text of a workflow that people edit together, with its graph. */
export type Draft = Schemas['DraftOut']
export type DraftNode = Schemas['CanvasNode']
export type Operation = Schemas['CanvasOperation']

type Said = { [key: string]: unknown }
const said = (v: unknown): Said => (typeof v === 'object' && v !== null && !Array.isArray(v) ? (v as Said) : {})
const text = (v: unknown) => (typeof v === 'string' ? v : '')
const line = (v: unknown) => text(v).trim().split('\n')[0] ?? ''
const counted = (v: unknown, what: string) => `${Array.isArray(v) ? v.length : 0} ${what}${Array.isArray(v) && v.length === 1 ? '' : 's'}`

/** doing says in a few words what a step of a kind does. */
function doing(kind: string, step: Said): string {
  const of = said(step[kind])
  switch (kind) {
    case 'agent':
      return text(of.name) || (Array.isArray(of.requires) ? of.requires.join(', ') : '') || 'an agent that the router chooses'
    case 'tool':
      return text(of.name)
    case 'model':
      return line(of.prompt)
    case 'rule':
      return counted(step.rule, 'rule')
    case 'branch':
      return counted(step.branch, 'case')
    case 'loop':
      return `until ${line(of.until)}`
    case 'map':
      return `each of ${line(of.over)}`
    case 'wait':
      return line(said(of.person).ask) || (said(of.event).type ? `the event ${text(said(of.event).type)}` : of.until ? `until ${line(of.until)}` : text(of.for))
    case 'workflow':
      return text(of.slug)
    default:
      return kind === '' ? 'nothing, or several things' : 'a value'
  }
}

/** outline is the graph of a draft as every canvas draws one. */
export function outline(g: Draft['graph']): Graph {
  return graphOf(g.nodes.map((n): Step => {
    const step = said(n.step)
    const needs = g.edges.filter((e) => e.to === n.path).map((e) => (e.outcome ? `${e.from}.${e.outcome}` : e.from))
    const contract = Array.isArray(step.contract) ? step.contract.map((c) => text(said(c).name) || text(said(c).holds) || (Object.keys(said(c))[0] ?? '')) : []
    return {
      path: n.path, kind: n.kind, needs, cases: n.outcomes, contract, line: n.line, does: doing(n.kind, step), ...(n.title ? { title: n.title } : {}), ...(n.in ? { parent: n.in } : {}),
      ...(text(step.when) ? { when: text(step.when) } : {}), ...(step.review ? { reviewed: true } : {}),
    }
  }))
}

/** findings are the linter's sentences by the step that they are of. */
export const findings = (g: Draft['graph']): { [path: string]: string[] } => Object.fromEntries(g.nodes.filter((n) => n.findings.length > 0).map((n) => [n.path, n.findings.map((f) => f.text)]))

/** stepText is the text of the step that is written at a line (from 1) of a file, as create_node takes it; empty when none is there. */
export function stepText(source: string, at: number): string {
  const lines = source.split('\n')
  const head = /^(\s*)- (.*)$/.exec(lines[at - 1] ?? '')
  if (!head) return ''
  const [, indent = '', first = ''] = head
  const own = [first]
  for (const l of lines.slice(at)) {
    if (l.trim() !== '' && l.length - l.trimStart().length <= indent.length) break
    own.push(l.slice(Math.min(indent.length + 2, l.length - l.trimStart().length)))
  }
  while (own.at(-1)?.trim() === '') own.pop()
  return own.join('\n')
}

/** pasted makes an operation of the text of a step: it follows a step, and gets an id that is free; undefined when the text is no step. */
export function pasted(copied: string, g: Draft['graph'], chosen: string): Operation | undefined {
  if (!/^\s*(#.*\n\s*)*(- )?(\{\s*)?(id|title|needs|when|agent|tool|model|rule|branch|loop|map|wait|workflow|transform)\s*:/.test(copied)) return undefined
  const own = /(?:^|[\s{,])id:\s*"?([a-z][a-z0-9_]*)/.exec(copied)?.[1]
  return { op: 'create_node', yaml: copied, ...(own ? { id: free(own, g) } : {}), ...after(g, chosen) }
}

/** free is an id that no step has, made of another. */
export function free(id: string, g: Draft['graph']): string {
  const taken = new Set(g.nodes.map((n) => n.id))
  const stem = id.replace(/_\d+$/, '')
  let out = id
  for (let n = 2; taken.has(out); n++) out = `${stem}_${n}`
  return out
}

/** after says of a new step that it follows the chosen one and is written behind it: after the first case of a branch that leads nowhere yet; within the list of the chosen one. */
export function after(g: Draft['graph'], chosen: string): Pick<Operation, 'in' | 'after' | 'needs'> {
  const n = g.nodes.find((x) => x.path === chosen)
  if (!n) return {}
  const open = n.outcomes.find((o) => !g.edges.some((e) => e.from === n.path && e.outcome === o)) ?? n.outcomes[0]
  return { ...(n.in ? { in: n.in } : {}), after: n.id, needs: [open ? `${n.id}.${open}` : n.id] }
}

/** ends are the connections that a step may be given: each outcome of it with each step beside it that it does not lead to so. */
export function ends(g: Draft['graph'], from: string): { to: DraftNode; outcome: string }[] {
  const n = g.nodes.find((x) => x.path === from)
  if (!n) return []
  const beside = g.nodes.filter((x) => (x.in ?? '') === (n.in ?? '') && x.path !== from)
  const outcomes = [...(n.outcomes.length > 0 ? n.outcomes : ['']), 'error']
  return outcomes.flatMap((outcome) => beside.filter((to) => !g.edges.some((e) => e.from === from && e.to === to.path && (e.outcome ?? '') === outcome)).map((to) => ({ to, outcome })))
}
