import type { Point } from './layout'

/** through is the path of a line by points, smooth, level at them or upright, and the point of it where a label lies. */
export function through(points: Point[], level: boolean): [path: string, x: number, y: number] {
  const first = points[0] ?? { x: 0, y: 0 }
  let path = `M${first.x},${first.y}`
  points.slice(1).forEach((to, i) => {
    const from = points[i] ?? first
    const half = level ? (to.x - from.x) / 2 : (to.y - from.y) / 2
    path += level ? ` C${from.x + half},${from.y} ${to.x - half},${to.y} ${to.x},${to.y}` : ` C${from.x},${from.y + half} ${to.x},${to.y - half} ${to.x},${to.y}`
  })
  const at = points[Math.floor(points.length / 2)] ?? first
  return [path, at.x, at.y]
}
