import { graphlib, layout as dagre } from '@dagrejs/dagre'
import { type Edge, type Graph, groups, type Step } from './graph'

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
    const held = steps.map((s): [string, number, number] => {
      const inside = holds.has(s.path) ? arrange(s.path) : undefined
      return inside ? [s.path, Math.max(sizes.w, inside.w + 2 * sizes.room), sizes.head + inside.h + 2 * sizes.room] : [s.path, sizes.w, sizes.h]
    })
    const paths = new Set(steps.map((s) => s.path))
    const edges = g.edges.filter((e) => paths.has(e.from) && paths.has(e.to))
    const found = arranged(held, edges, way, sizes.between)
    const [left, top] = parent === '' ? [0, 0] : [sizes.room, sizes.head + sizes.room]
    let [right, bottom] = [0, 0]
    for (const [path, w, h] of held) {
      const n = found.centres.get(path) ?? { x: 0, y: 0 }
      const box = { x: n.x - w / 2 + left, y: n.y - h / 2 + top, w, h, ...placed[path] }
      boxes.set(path, box)
      right = Math.max(right, box.x + box.w - left)
      bottom = Math.max(bottom, box.y + box.h - top)
    }
    for (const e of edges) {
      const points = found.points.get(e.id) ?? []
      if (points.length > 3 && !placed[e.from] && !placed[e.to]) routes.set(e.id, points.slice(1, -1).map((at: Point) => ({ x: at.x + left, y: at.y + top })))
    }
    return { w: right, h: bottom }
  }
  arrange('')
  return { boxes, routes }
}

/** Arranged is where the steps of a group lie, by their middles, and by which points its edges go. */
type Arranged = { centres: Map<string, Point>; points: Map<string, Point[]> }

/** lately are arrangements by what was asked: one of 300 steps takes 400 ms, and most edits of a draft change none. */
const lately = new Map<string, Arranged>()

/** arranged places the steps of a group, of a width and a height each, after each other. */
function arranged(held: [string, number, number][], edges: Edge[], way: Way, between: number): Arranged {
  const asked = JSON.stringify([held, edges.map((e) => e.id), way, between])
  const known = lately.get(asked)
  if (known) return known
  const made = new graphlib.Graph()
  made.setGraph({ rankdir: way === 'right' ? 'LR' : 'TB', ranksep: between * 2, nodesep: between, edgesep: between, marginx: 0, marginy: 0 })
  made.setDefaultEdgeLabel(() => ({}))
  for (const [path, width, height] of held) made.setNode(path, { width, height })
  for (const e of edges) made.setEdge(e.from, e.to)
  dagre(made)
  const found = {
    centres: new Map(held.map(([path]) => [path, { x: made.node(path).x, y: made.node(path).y }])),
    points: new Map(edges.map((e) => [e.id, made.edge(e.from, e.to).points ?? []])),
  }
  if (lately.size >= 100) lately.delete(lately.keys().next().value ?? '')
  lately.set(asked, found)
  return found
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
