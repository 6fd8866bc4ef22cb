import { Avatar } from './Avatar'

/** Agent is an agent by its mark and name. */
export function Agent(p: { name: string | undefined }) {
  if (!p.name) return null
  const name = p.name.replace('agent:', '')
  return <span className="inline-flex max-w-full items-center gap-1.5 text-agent"><Avatar name={name} agent small /><span className="truncate">{name}</span></span>
}
