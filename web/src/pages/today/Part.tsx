import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** Part is one question that Today answers: a heading with a number, what is beside it, and its lines. */
export function Part(p: { name: string; to: string; search?: { filter?: string; since?: string }; count?: number; beside?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={p.name} className="mb-5 min-w-0">
      <div className="flex flex-wrap items-baseline gap-x-3 border-b border-line pb-1">
        <h3 className="m-0!"><Link to={p.to} search={(p.search ?? {}) as never}>{p.name}</Link> {p.count !== undefined && <span className="font-normal text-muted">{p.count}</span>}</h3>
        <span className="ml-auto flex flex-wrap gap-x-3 text-sm text-muted">{p.beside}</span>
      </div>
      {p.children}
    </section>
  )
}

/** line is how a line of a part looks. */
export const line = 'flex items-baseline gap-x-3 border-b border-line px-2 py-0.5'
