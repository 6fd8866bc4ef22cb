import { getBezierPath, Position } from '@xyflow/react'
import type { Edge, Graph } from './graph'
import { absolute, type Box, type Point, type Way } from './layout'
import { through } from './route'

/** Line is how an edge is drawn: the path with its head, where the outcome stands that leads on, and how deep within other steps it lies. */
export type Line = { edge: Edge; d: string; x: number; y: number; depth: number }

/** Laying is where all lies that lines are drawn between; half is half the size of the place at a step where they begin and end, in pixels. */
export type Laying = { graph: Graph; boxes: Map<string, Box>; routes: Map<string, Point[]>; way: Way; half: number }

/** lineOf is the line of an edge; undefined when one of its steps lies nowhere. */
export function lineOf(e: Edge, on: Laying): Line | undefined {
  const [from, to] = [absolute(e.from, on.graph, on.boxes), absolute(e.to, on.graph, on.boxes)]
  if (!from || !to) return undefined
  const right = on.way === 'right'
  const [start, leaves] = startOf(e, from, on)
  const end = right ? { x: to.x - on.half, y: to.y + to.h / 2 } : { x: to.x + to.w / 2, y: to.y - on.half }
  const parent = on.graph.steps.get(e.to)?.parent ?? ''
  const around = absolute(parent, on.graph, on.boxes) ?? { x: 0, y: 0 }
  const route = (on.routes.get(e.id) ?? []).map((at) => ({ x: at.x + around.x, y: at.y + around.y }))
  const depth = parent === '' ? 0 : parent.split('.').length
  if (route.length === 0) {
    const [path, x, y] = getBezierPath({ sourceX: start.x, sourceY: start.y, sourcePosition: leaves, targetX: end.x, targetY: end.y, targetPosition: right ? Position.Left : Position.Top })
    return { edge: e, d: path + head(end, right, 1), x, y, depth }
  }
  const level = leaves === Position.Right
  const [path, x, y] = through([start, ...route, end], level)
  const last = route.at(-1) ?? start
  return { edge: e, d: path + head(end, level, Math.sign(level ? end.x - last.x : end.y - last.y) || 1), x, y, depth }
}

/** startOf is where an edge begins, and to which side it leaves: each case of a branch has a place of its own, and so has an error. */
function startOf(e: Edge, b: Box, on: Laying): [Point, Position] {
  const right = on.way === 'right'
  const cases = on.graph.steps.get(e.from)?.cases ?? []
  const at = cases.indexOf(e.outcome)
  const share = at < 0 ? 0.5 : (at + 1) / (cases.length + 1)
  if ((at < 0 && e.outcome === 'error') !== right) return [{ x: b.x + b.w + on.half, y: b.y + b.h * (right ? share : 0.5) }, Position.Right]
  return [{ x: b.x + b.w * (right ? 0.5 : share), y: b.y + b.h + on.half }, Position.Bottom]
}

/** head is the arrow at the end of a line that leads level or upright, forward or back. */
function head(at: Point, level: boolean, sign: number): string {
  const [long, wide] = [4.4 * sign, 3.5]
  return level
    ? ` M${at.x - long},${at.y - wide} L${at.x},${at.y} L${at.x - long},${at.y + wide} Z`
    : ` M${at.x - wide},${at.y - long} L${at.x},${at.y} L${at.x + wide},${at.y - long} Z`
}

/** near says whether an edge begins or ends at a step or within it. */
export const near = (e: Edge, path: string) => [e.from, e.to].some((x) => x === path || x.startsWith(`${path}.`))
