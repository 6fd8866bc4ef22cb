import type { Schemas } from '../api/client'
import { type Graph, nodeOf } from './graph'

/** Change is one moment in the life of an instance. */
export type Change = Schemas['InstanceChange']

/** Standing is where a step of an instance stands, what it took and cost, and what was found of its contract. */
export type Standing = { path: string; state: string; says: string; attempt: number; began: string; ended: string; usd: number; tokens: number; review: string; found: Schemas['ContractFound'][] }

/** Stood is how an instance stood at a moment. */
export type Stood = { state: string; says: string; usd: number; tokens: number; steps: Map<string, Standing> }

const over = ['done', 'passed', 'skipped', 'failed', 'undone']

/** until is how many of the changes had come at a moment: a position in the log, a day (its end, UTC), or an instant. */
export function until(changes: Change[], moment: string): number {
  if (moment === '') return changes.length
  const seq = /^#?(\d+)$/.exec(moment)?.[1]
  const day = /^\d{4}-\d\d-\d\d$/.test(moment) ? `${moment}T23:59:59.999Z` : moment
  const at = Date.parse(day)
  if (seq === undefined && Number.isNaN(at)) return changes.length
  const later = changes.findIndex((c) => (seq !== undefined ? c.seq > Number(seq) : Date.parse(c.at) > at))
  return later < 0 ? changes.length : later
}

/** stood is how the instance stood after its first n changes. */
export function stood(changes: Change[], n = changes.length): Stood {
  const out: Stood = { state: '', says: '', usd: 0, tokens: 0, steps: new Map() }
  for (const c of changes.slice(0, n)) {
    out.usd += c.costUsd ?? 0
    out.tokens += c.tokens ?? 0
    if (!c.path) {
      if (c.state) [out.state, out.says] = [c.state, c.says ?? '']
      continue
    }
    const was = out.steps.get(c.path) ?? { path: c.path, state: '', says: '', attempt: 0, began: c.at, ended: '', usd: 0, tokens: 0, review: '', found: [] }
    out.steps.set(c.path, {
      ...was,
      ...(c.state ? { state: c.state, says: c.says ?? '', attempt: Math.max(was.attempt, c.attempt ?? 0), ended: over.includes(c.state) ? c.at : '' } : {}),
      usd: was.usd + (c.costUsd ?? 0), tokens: was.tokens + (c.tokens ?? 0), review: c.review ?? was.review, found: c.found ?? was.found,
    })
  }
  return out
}

/** Sum is where a step of the graph stands: its own state, or that of the most grave of many, and what they took together. */
export type Sum = { state: string; says: string; runs: number; done: number; attempt: number; began: string; ended: string; usd: number; tokens: number; review: string; met: number; checked: number; paths: string[] }

/** grave are the states of steps, the most grave first. */
const grave = ['failed', 'waiting', 'retrying', 'started', 'undone', 'done', 'passed', 'skipped']

/** sums are where the steps of a graph stand. What a workflow spent that a step plays is the step's. */
export function sums(at: Stood, g: Graph): Map<string, Sum> {
  const out = new Map<string, Sum>()
  for (const s of at.steps.values()) {
    const node = nodeOf(s.path, g.steps)
    if (node === '') continue
    const own = plain(s.path) === node
    const was = out.get(node) ?? { state: '', says: '', runs: 0, done: 0, attempt: 0, began: '', ended: '', usd: 0, tokens: 0, review: '', met: 0, checked: 0, paths: [] }
    const sum = { ...was, usd: was.usd + s.usd, tokens: was.tokens + s.tokens }
    if (own) {
      const graver = was.state === '' || (s.state !== '' && grave.indexOf(s.state) < grave.indexOf(was.state))
      Object.assign(sum, {
        ...(graver ? { state: s.state, says: s.says } : {}),
        runs: was.runs + 1, done: was.done + (s.state === 'done' ? 1 : 0), attempt: Math.max(was.attempt, s.attempt), review: s.review || was.review,
        began: was.began && was.began < s.began ? was.began : s.began, ended: s.ended === '' || (was.runs > 0 && was.ended === '') ? '' : was.ended > s.ended ? was.ended : s.ended,
        met: was.met + s.found.filter((f) => f.met).length, checked: was.checked + s.found.length, paths: [...was.paths, s.path],
      })
    }
    out.set(node, sum)
  }
  return out
}

const plain = (path: string) => path.replace(/\[\d+\]/g, '').replace(/#\d+(~\d+)?/g, '')

/** led says whether an edge was taken: what it comes from ended so that it leads on, and what it leads to was begun. */
export function led(from: Sum | undefined, to: Sum | undefined, outcome: string): boolean {
  if (!from || !to || to.state === 'skipped' || to.state === '') return false
  return outcome === 'error' ? from.state === 'failed' : from.state === 'done' || from.state === 'passed' || from.state === 'undone'
}
