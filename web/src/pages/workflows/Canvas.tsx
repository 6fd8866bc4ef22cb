import { type Connection, type Edge as FlowEdge, MiniMap, type Node, type NodeChange, Panel, ReactFlow, ReactFlowProvider, useReactFlow, ViewportPortal } from '@xyflow/react'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { type Edge, type Graph, groups } from '../../lib/graph'
import { absolute, type Box, layout, type Point, type Way } from '../../lib/layout'
import { useKeys } from '../../lib/pane'
import type { Sum } from '../../lib/standing'
import { firstOf, walk } from '../../lib/walk'
import './canvas.css'
import { Lines } from './Lines'
import { StepNode, type StepData } from './StepNode'

const nodeTypes = { step: StepNode }
const fit = { padding: 0.08, maxZoom: 1, minZoom: 0.05 }
const hidden = { hideAttribution: true }
const toMap = (n: Node) => colourOf((n.data as StepData).sum?.state)
const none: Map<string, Sum> = new Map()
const nothing: { [path: string]: string[] } = {}

/** Shown is what a canvas shows: a graph, where its steps stand, and which one is chosen. */
export type Shown = {
  label: string
  graph: Graph
  sums?: Map<string, Sum>
  /** now is the moment that is shown, in milliseconds; 0 is the present. */
  now?: number
  placed?: { [path: string]: { x: number; y: number } }
  findings?: { [path: string]: string[] }
  chosen: string
  onChoose: (path: string) => void
  onOpen: (path: string) => void
  edit?: Editing
}

/** Editing is what the mouse may do to a graph. A step that is moved stays where it was put once the promise is kept. */
export type Editing = {
  onMove: (path: string, to: Point) => Promise<unknown>
  onConnect: (from: string, to: string, outcome: string) => void
  onEdge: (edge: Edge) => void
}

/** Canvas draws a workflow as a graph. Arrows go along its edges, Enter opens the chosen step. */
export function Canvas(p: Shown) {
  const box = useRef<HTMLDivElement>(null)
  const [way, setWay] = useState<Way>()
  useLayoutEffect(() => {
    const el = box.current
    if (el) setWay(el.clientWidth < el.clientHeight ? 'down' : 'right')
  }, [])
  return (
    <section ref={box} aria-label={p.label} className="canvas relative size-full min-h-0 border border-line bg-bg">
      {way && <ReactFlowProvider><Drawn {...p} way={way} box={box} /></ReactFlowProvider>}
    </section>
  )
}

/** large is how many steps a graph has of which only those in sight are drawn. */
const large = 80

/** choice and unchosen are what belongs on the element of the step that is chosen, to which the Tab key leads, and on those of others. */
const choice = { tabIndex: 0, 'aria-current': 'true' } as NonNullable<Node['domAttributes']>
const unchosen = { tabIndex: -1 } as NonNullable<Node['domAttributes']>

/** natural is the usual size of the letters, in pixels, at which places are kept. */
const natural = 13

/** scaled are places at another size of the letters. */
const scaled = (placed: { [path: string]: Point } = {}, by: number) => Object.fromEntries(Object.entries(placed).map(([path, at]) => [path, { x: at.x * by, y: at.y * by }]))

/** useSizes are the sizes of what is drawn, at the size of the letters. */
function useSizes() {
  return useMemo(() => {
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 13
    return { rem, scale: rem / natural, w: rem * 19, h: rem * 4.9, head: rem * 4.9, room: rem * 1.6, between: rem * 2.4 }
  }, [])
}

function Drawn(p: Shown & { way: Way; box: RefObject<HTMLElement | null> }) {
  const { graph, way, chosen, sums = none, now = 0, findings = nothing } = p
  const sizes = useSizes()
  const { placed } = p
  const { boxes, routes } = useMemo(() => layout(graph, way, sizes, way === 'right' ? scaled(placed, sizes.scale) : {}), [graph, way, sizes, placed])
  const { edit } = p
  const joins = edit !== undefined
  const [dragged, drag] = useState<{ id: string; to: Point }>()
  const before = useRef(new Map<string, Node<StepData>>())
  const all = useMemo(() => {
    const holds = groups(graph)
    const made = [...graph.steps.values()].flatMap((step): Node<StepData>[] => {
      const b = boxes.get(step.path)
      if (!b) return []
      const data: StepData = { step, sum: sums.get(step.path), now, way, group: holds.has(step.path), joins, findings: findings[step.path] ?? [] }
      const node: Node<StepData> = {
        id: step.path, type: 'step', position: { x: b.x, y: b.y }, width: b.w, height: b.h, measured: { width: b.w, height: b.h }, ...(step.parent ? { parentId: step.parent } : {}), data, ariaRole: 'button',
        domAttributes: unchosen,
      }
      const was = before.current.get(step.path)
      return [was && same(was, node) ? was : node]
    })
    before.current = new Map(made.map((n) => [n.id, n]))
    return made
  }, [graph, boxes, sums, now, way, findings, joins])
  const shown = useMemo(() => all.map((n) => (n.id !== chosen && n.id !== dragged?.id ? n : {
    ...n, ...(n.id === dragged?.id ? { position: dragged.to } : {}), ...(n.id === chosen ? { selected: true, domAttributes: choice } : {}),
  })), [all, chosen, dragged])
  const { go } = useWalk(p, boxes)
  const act = useMouse(p, drag, sizes.scale)
  return (
    <ReactFlow
      nodes={shown} nodeTypes={nodeTypes} fitView fitViewOptions={fit} minZoom={0.05} maxZoom={2} disableKeyboardA11y nodesDraggable={joins && way === 'right'} nodesConnectable={joins} elementsSelectable={false} nodeDragThreshold={4}
      nodesFocusable proOptions={hidden} deleteKeyCode={null} zoomOnDoubleClick={false} onlyRenderVisibleElements={graph.steps.size > large} {...act.all} {...(edit ? act.edits : {})}
    >
      <ViewportPortal>
        <Lines graph={graph} boxes={boxes} routes={routes} sums={sums} way={way} rem={sizes.rem} {...(dragged ? { dragged } : {})} {...(edit ? { onEdge: act.onEdge } : {})} />
      </ViewportPortal>
      <MiniMap pannable zoomable ariaLabel="The whole workflow, small" className="hidden @3xl:block" nodeColor={toMap} />
      <Panel position={way === 'right' ? 'top-right' : 'bottom-left'} className="m-1! flex gap-1">
        <button type="button" className="px-2 py-0" onClick={go.all}>All <kbd>f</kbd></button>
        <button type="button" className="px-2 py-0" onClick={go.closer}>Closer <kbd>z</kbd></button>
        <button type="button" className="px-2 py-0" onClick={go.farther}>Farther <kbd>Z</kbd></button>
      </Panel>
    </ReactFlow>
  )
}

/** useMouse is what the mouse does. These functions stay the same ones, because React Flow draws each step anew when one is another. */
function useMouse(p: Shown & { box: RefObject<HTMLElement | null> }, drag: (to?: { id: string; to: Point }) => void, scale: number) {
  const now = useRef(p)
  now.current = p
  return useMemo(() => ({
    all: {
      onMoveStart: () => now.current.box.current?.classList.add('moving'),
      onMove: (by: MouseEvent | TouchEvent | null) => { if (by?.type === 'mousemove') now.current.box.current?.classList.add('held') }, // a click moves nothing
      onMoveEnd: () => now.current.box.current?.classList.remove('moving', 'held'),
      onNodeClick: (_: unknown, n: Node) => { now.current.onChoose(n.id); now.current.onOpen(n.id) },
    },
    edits: {
      onNodesChange: (all: NodeChange<Node<StepData>>[]) => { for (const c of all) if (c.type === 'position' && c.position) drag({ id: c.id, to: c.position }) },
      onNodeDragStop: (_: unknown, n: Node<StepData>) => void now.current.edit?.onMove(n.id, { x: Math.round(n.position.x / scale), y: Math.round(n.position.y / scale) }).catch(() => undefined).then(() => drag(undefined)),
      onConnect: (c: Connection) => now.current.edit?.onConnect(c.source, c.target, c.sourceHandle ?? ''),
      isValidConnection: (c: Connection | FlowEdge) => c.source !== c.target && now.current.graph.steps.get(c.source)?.parent === now.current.graph.steps.get(c.target)?.parent,
    },
    onEdge: (e: Edge) => now.current.edit?.onEdge(e),
  }), [drag, scale])
}

/** same says whether two nodes are drawn alike. */
function same(a: Node<StepData>, b: Node<StepData>): boolean {
  return a.position.x === b.position.x && a.position.y === b.position.y && a.width === b.width && a.height === b.height && JSON.stringify(a.data) === JSON.stringify(b.data)
}

/** colourOf is the colour of a state on the small map. */
function colourOf(state: string | undefined): string {
  const colours: { [state: string]: string } = { done: 'up', failed: 'danger', waiting: 'warn', started: 'live', retrying: 'warn' }
  return `var(--color-${colours[state ?? ''] ?? 'scroll'})`
}

/** useWalk moves about by keys: along the edges, closer and farther. What is chosen gets the focus and comes into sight. */
function useWalk(p: Shown & { way: Way; box: RefObject<HTMLElement | null> }, boxes: Map<string, Box>) {
  const flow = useReactFlow()
  const byKey = useRef(false)
  const go = { all: () => void flow.fitView(fit), closer: () => void flow.zoomIn(), farther: () => void flow.zoomOut() }
  const choose = (path: string) => {
    if (path === '') return
    byKey.current = true
    p.onChoose(path)
  }
  const step = (arrow: 'left' | 'right' | 'up' | 'down') => () => choose(p.graph.steps.has(p.chosen) ? walk(p.graph, boxes, p.way, p.chosen, arrow) : firstOf(p.graph))
  useKeys([
    { key: 'ArrowRight l', does: 'the step to the right', act: step('right') },
    { key: 'ArrowLeft h', does: 'the step to the left', act: step('left') },
    { key: 'ArrowDown j', does: 'the step below, or the first within', act: step('down') },
    { key: 'ArrowUp k', does: 'the step above, or the one around', act: step('up') },
  ], true)
  useKeys([
    { key: 'Home', does: 'the first step', act: () => choose(firstOf(p.graph)) },
    { key: 'Enter', does: 'open the step', act: () => p.chosen && p.onOpen(p.chosen) },
    { key: 'f', does: 'show all of it', act: go.all },
    { key: 'z', does: 'closer', act: go.closer },
    { key: 'Z', does: 'farther', act: go.farther },
  ])
  const { chosen, graph, box } = p
  const now = useRef({ chosen, graph, boxes })
  now.current = { chosen, graph, boxes }
  /** reveal brings the chosen step into sight. */
  const reveal = useCallback(() => {
    const { chosen: path, graph: of, boxes: at } = now.current
    const pane = box.current
    const b = absolute(path, of, at)
    if (!b || !pane) return
    const view = flow.getViewport()
    const high = Math.min(b.h, 80) // of a large one its head
    const [left, top, right, bottom] = [b.x * view.zoom + view.x, b.y * view.zoom + view.y, (b.x + Math.min(b.w, 300)) * view.zoom + view.x, (b.y + high) * view.zoom + view.y]
    if (left < 0 || top < 0 || right > pane.clientWidth || bottom > pane.clientHeight || view.zoom < 0.4) void flow.setCenter(b.x + Math.min(b.w, 300) / 2, b.y + high / 2, { zoom: Math.max(view.zoom, 0.7) })
  }, [flow, box])
  useEffect(() => {
    if (!byKey.current || chosen === '') return
    byKey.current = false
    const focus = () => {
      const el = box.current?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(chosen)}"]`)
      el?.focus({ preventScroll: true })
      return el
    }
    reveal()
    if (!focus()) requestAnimationFrame(() => requestAnimationFrame(focus)) // it was out of sight, and is drawn now
  }, [chosen, box, reveal])
  useEffect(() => {
    const el = box.current
    if (!el) return
    const sized = new ResizeObserver(reveal) // a panel beside it takes room
    sized.observe(el)
    return () => sized.disconnect()
  }, [box, reveal])
  return { go }
}
