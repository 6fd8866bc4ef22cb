import { graphlib, layout as dagre } from '@dagrejs/dagre'
import { type Graph, groups, type Step } from './graph'

/** Box is where something lies, in pixels, from the corner of what it is in. */
export type Box = { x: number; y: number; w: number; h: number }

/** Point is a place in pixels, from the corner of what it is in. */
export type Point = { x: number; y: number }

/** Laid is where the steps of a graph lie, and by which points edges go round steps between, by their ids. */
export type Laid = { boxes: Map<string, Box>; routes: Map<string, Point[]> }

/** Way is where edges lead: to the right, or down. */
export type Way = 'right' | 'down'

/** Sizes are those of a step, of the head of one that has others in it, of the room around those, and between two, in pixels. */
export type Sizes = { w: number; h: number; head: number; room: number; between: number }

/**
 * layout places the steps of a graph: those of a loop or a map within it, each after what it
 * needs. Boxes and points within a step are from its corner. A step that was placed by hand lies there.
 */
export function layout(g: Graph, way: Way, sizes: Sizes, placed: { [path: string]: Point } = {}): Laid {
  const boxes = new Map<string, Box>()
  const routes = new Map<string, Point[]>()
  const within = new Map<string, Step[]>()
  for (const s of g.steps.values()) within.set(s.parent ?? '', [...(within.get(s.parent ?? '') ?? []), s])
  const holds = groups(g)
  /** arrange places the steps of a group, and returns how large they are together. */
  const arrange = (parent: string): { w: number; h: number } => {
    const steps = within.get(parent) ?? []
    const made = new graphlib.Graph()
    made.setGraph({ rankdir: way === 'right' ? 'LR' : 'TB', ranksep: sizes.between * 2, nodesep: sizes.between, edgesep: sizes.between, marginx: 0, marginy: 0 })
    made.setDefaultEdgeLabel(() => ({}))
    for (const s of steps) {
      const inside = holds.has(s.path) ? arrange(s.path) : undefined
      made.setNode(s.path, inside ? { width: Math.max(sizes.w, inside.w + 2 * sizes.room), height: sizes.head + inside.h + 2 * sizes.room } : { width: sizes.w, height: sizes.h })
    }
    const edges = g.edges.filter((e) => (g.steps.get(e.to)?.parent ?? '') === parent && made.hasNode(e.from))
    for (const e of edges) made.setEdge(e.from, e.to)
    dagre(made)
    const [left, top] = parent === '' ? [0, 0] : [sizes.room, sizes.head + sizes.room]
    let [right, bottom] = [0, 0]
    for (const s of steps) {
      const n = made.node(s.path)
      const box = { x: n.x - n.width / 2 + left, y: n.y - n.height / 2 + top, w: n.width, h: n.height, ...placed[s.path] }
      boxes.set(s.path, box)
      right = Math.max(right, box.x + box.w - left)
      bottom = Math.max(bottom, box.y + box.h - top)
    }
    for (const e of edges) {
      const points = made.edge(e.from, e.to).points ?? []
      if (points.length > 3 && !placed[e.from] && !placed[e.to]) routes.set(e.id, points.slice(1, -1).map((at: Point) => ({ x: at.x + left, y: at.y + top })))
    }
    return { w: right, h: bottom }
  }
  arrange('')
  return { boxes, routes }
}

/** absolute is the box of a step from the corner of the canvas. */
export function absolute(path: string, g: Graph, boxes: Map<string, Box>): Box | undefined {
  const own = boxes.get(path)
  if (!own) return undefined
  const box = { ...own }
  for (let at = g.steps.get(path)?.parent; at; at = g.steps.get(at)?.parent) {
    const outer = boxes.get(at)
    box.x += outer?.x ?? 0
    box.y += outer?.y ?? 0
  }
  return box
}
