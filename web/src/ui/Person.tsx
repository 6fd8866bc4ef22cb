import { Avatar } from './Avatar'

/** Person is a person by their mark and name; without a name nobody is assigned. */
export function Person(p: { name: string | undefined }) {
  if (!p.name) return <span className="text-faint whitespace-nowrap">Unassigned</span>
  return <span className="inline-flex max-w-full items-center gap-1.5"><Avatar name={p.name} agent={false} small /><span className="truncate">{p.name}</span></span>
}
