import { BaseEdge, type EdgeProps, getBezierPath } from '@xyflow/react'
import { memo } from 'react'
import { through } from '../../lib/route'
import type { Point } from '../../lib/layout'

/** RoutedEdge is an edge that goes round the steps between its ends, with the outcome that leads on. */
export const RoutedEdge = memo(function RoutedEdge(p: EdgeProps) {
  const route = (p.data?.route ?? []) as Point[]
  const level = p.sourcePosition === 'right' || p.sourcePosition === 'left'
  const [path, x, y] = route.length > 0 ? through([{ x: p.sourceX, y: p.sourceY }, ...route, { x: p.targetX, y: p.targetY }], level) : getBezierPath(p)
  return <BaseEdge id={p.id} path={path} labelX={x} labelY={y} label={p.label} labelBgPadding={[4, 1]} {...(p.markerEnd ? { markerEnd: p.markerEnd } : {})} />
})
