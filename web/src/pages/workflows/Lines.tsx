import { memo, useMemo } from 'react'
import type { Edge, Graph } from '../../lib/graph'
import type { Box, Point, Way } from '../../lib/layout'
import { type Laying, type Line, lineOf, near } from '../../lib/lines'
import { led, type Sum } from '../../lib/standing'

/** Taken are the edges along which an instance went, by their ids, with the class that they have then. */
type Taken = Map<string, string>

/**
 * Lines draws all edges of a graph, each as one path. React Flow knows nothing of them: it would make a component with subscriptions of
 * each, and all of these would be asked at each movement. While a step is dragged only the lines at it are drawn anew.
 */
export function Lines(p: { graph: Graph; boxes: Map<string, Box>; routes: Map<string, Point[]>; sums: Map<string, Sum>; way: Way; rem: number; dragged?: { id: string; to: Point }; onEdge?: (e: Edge) => void }) {
  const { graph, boxes, routes, sums, way, rem, dragged, onEdge } = p
  const on = useMemo((): Laying => ({ graph, boxes, routes, way, half: rem * 0.3 }), [graph, boxes, routes, way, rem])
  const lines = useMemo(() => drawn(graph.edges, on), [graph, on])
  const taken = useMemo((): Taken => new Map(graph.edges.flatMap((e) => (led(sums.get(e.from), sums.get(e.to), e.outcome) ? [[e.id, e.outcome === 'error' ? 'led failed' : 'led']] : []))), [graph, sums])
  const id = dragged?.id ?? ''
  const rest = useMemo(() => (id === '' ? lines : lines.filter((l) => !near(l.edge, id))), [lines, id])
  const box = dragged ? boxes.get(dragged.id) : undefined
  const moved = dragged && box ? drawn(graph.edges.filter((e) => near(e, id)), { ...on, boxes: new Map(boxes).set(id, { ...box, ...dragged.to }) }) : []
  return (
    <>
      <Drawing lines={rest} taken={taken} onEdge={onEdge} />
      {moved.length > 0 && <Drawing lines={moved} taken={taken} onEdge={onEdge} />}
    </>
  )
}

/** drawn are the lines of edges. */
const drawn = (edges: Edge[], on: Laying) => edges.flatMap((e) => lineOf(e, on) ?? [])

/** Drawing is lines, those within a step above it and below the steps in it. A click on one of those that can be edited asks what becomes of it. */
const Drawing = memo(function Drawing({ lines, taken, onEdge }: { lines: Line[]; taken: Taken; onEdge: ((e: Edge) => void) | undefined }) {
  return [...new Set(lines.map((l) => l.depth))].map((depth) => {
    const here = lines.filter((l) => l.depth === depth)
    return (
      <svg key={depth} className="lines" style={{ zIndex: depth - 1 }}>
        <title>Connections</title>
        {here.map((l) => <path key={l.edge.id} className={`line ${taken.get(l.edge.id) ?? ''}`} d={l.d}>{!onEdge && <title>{saying(l.edge)}</title>}</path>)}
        {onEdge && here.map((l) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: by keys, the step at its end has x
          <path key={l.edge.id} className="grip" d={l.d} onClick={() => onEdge(l.edge)}><title>{saying(l.edge)}</title></path>
        ))}
        {here.map((l) => l.edge.outcome !== '' && <text key={l.edge.id} x={l.x} y={l.y}>{l.edge.outcome}</text>)}
      </svg>
    )
  })
})

/** saying is a line in words. */
const saying = (e: Edge) => `${e.from}${e.outcome ? `.${e.outcome}` : ''} leads to ${e.to}`
