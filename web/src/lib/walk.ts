import type { Graph } from './graph'
import { absolute, type Box, type Way } from './layout'

/** Arrow is a direction on the canvas. */
export type Arrow = 'left' | 'right' | 'up' | 'down'

const middle = (b: Box) => ({ x: b.x + b.w / 2, y: b.y + b.h / 2 })

/**
 * walk is the step that an arrow leads to from another: along an edge in the way that edges
 * lead and against it, and across it to the nearest beside. It leads into a loop or a map across its head, and
 * out of it where nothing comes before. It is the same step when nothing is there.
 */
export function walk(g: Graph, boxes: Map<string, Box>, way: Way, from: string, arrow: Arrow): string {
  const box = (path: string) => absolute(path, g, boxes) ?? { x: 0, y: 0, w: 0, h: 0 }
  const parent = g.steps.get(from)?.parent ?? ''
  const here = middle(box(from))
  const along = (b: { x: number; y: number }) => (way === 'right' ? b.x : b.y)
  const across = (b: { x: number; y: number }) => (way === 'right' ? b.y : b.x)
  /** nearest is the one of some whose middle is nearest, first across the way. */
  const nearest = (some: string[]) => {
    const far = (path: string) => Math.abs(across(middle(box(path))) - across(here)) * 4 + Math.abs(along(middle(box(path))) - along(here))
    return [...some].sort((a, b) => far(a) - far(b))[0]
  }
  const [on, back, less, more]: Arrow[] = way === 'right' ? ['right', 'left', 'up', 'down'] : ['down', 'up', 'left', 'right']
  if (arrow === on) return nearest(g.edges.filter((e) => e.from === from).map((e) => e.to)) ?? from
  if (arrow === back) return nearest(g.edges.filter((e) => e.to === from).map((e) => e.from)) ?? (parent || from)
  const inside = [...g.steps.values()].filter((s) => s.parent === from).map((s) => s.path)
  if (arrow === more && inside.length > 0) return first(inside, g) ?? from
  const beside = [...g.steps.values()].filter((s) => (s.parent ?? '') === parent && s.path !== from).map((s) => s.path)
  const sign = arrow === less ? -1 : 1
  const reach = (path: string) => (across(middle(box(path))) - across(here)) * sign
  const far = (path: string) => reach(path) + Math.abs(along(middle(box(path))) - along(here)) * 2
  const found = beside.filter((path) => reach(path) > 1).sort((a, b) => far(a) - far(b))[0]
  return found ?? (arrow === less && parent ? parent : from)
}

/** first is the first of some steps that needs none of the others, in the order of the file. */
function first(some: string[], g: Graph): string | undefined {
  return some.find((path) => !g.edges.some((e) => e.to === path)) ?? some[0]
}

/** firstOf is where the keyboard begins: the first step that needs none. */
export const firstOf = (g: Graph): string => first([...g.steps.values()].filter((s) => !s.parent).map((s) => s.path), g) ?? ''
