import type { Schemas } from '../api/client'

/** Step is a step of a workflow as the API outlines it. */
export type Step = Schemas['StepOut']

/** Edge leads from a step to one that needs it; outcome is the case or the error that leads on, where only that does. */
export type Edge = { id: string; from: string; to: string; outcome: string }

/** Graph is the steps of a workflow by their paths, and what leads from one to the other. Edges join steps beside each other alone. */
export type Graph = { steps: Map<string, Step>; edges: Edge[] }

/** source is the step and the outcome that a need names: the longest path that is there. */
function source(need: string, steps: Map<string, Step>): { from: string; outcome: string } | undefined {
  if (steps.has(need)) return { from: need, outcome: '' }
  const cut = need.lastIndexOf('.')
  const from = need.slice(0, Math.max(cut, 0))
  return steps.has(from) ? { from, outcome: need.slice(cut + 1) } : undefined
}

/** graphOf is the graph of steps; a need that names no step is left out. */
export function graphOf(list: Step[]): Graph {
  const steps = new Map(list.map((s) => [s.path, s]))
  const edges = list.flatMap((s) => s.needs.flatMap((need) => {
    const found = source(need, steps)
    return found ? [{ id: `${found.from}.${found.outcome}>${s.path}`, from: found.from, to: s.path, outcome: found.outcome }] : []
  }))
  return { steps, edges }
}

/** groups are the steps that have others in them. */
export const groups = (g: Graph): Set<string> => new Set([...g.steps.values()].flatMap((s) => (s.parent ? [s.parent] : [])))

/** nodeOf is the step of a graph that a step of an instance is of, or lies in: each.write for each[2]#1.write, call for call#1.write; empty when there is none. */
export function nodeOf(path: string, steps: Map<string, unknown>): string {
  let at = path.replace(/\[\d+\]/g, '').replace(/#\d+(~\d+)?/g, '')
  while (at !== '' && !steps.has(at)) at = at.slice(0, Math.max(at.lastIndexOf('.'), 0))
  return at
}
