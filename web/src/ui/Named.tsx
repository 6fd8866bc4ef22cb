import { Link } from '@tanstack/react-router'
import type { Known } from '../lib/titles'

/** Named links records by their titles; one without a title shows the end of its id. */
export function Named(p: { ids: string[] | null | undefined; titles: Map<string, Known>; most?: number }) {
  const all = p.ids ?? []
  const shown = all.slice(0, p.most ?? all.length)
  return (
    <>
      {shown.map((id, i) => (
        <span key={id}>{i > 0 && ', '}<Link to="/records/$id" params={{ id }}>{p.titles.get(id)?.title ?? `${id.slice(0, 4)}${id.slice(-5)}`}</Link></span>
      ))}
      {all.length > shown.length && <span className="text-muted"> and {all.length - shown.length} more</span>}
    </>
  )
}
