import { Link } from '@tanstack/react-router'
import { type Place, useProject, useProjects } from '../lib/project'
import { openPicker } from './ProjectPicker'

/** few is how many projects the rail shows. */
const few = 8

/** Projects are the active ones, and the one that is shown whatever it is. Another one is shown in the same view, in the same form. The picker has all of them. */
export function Projects() {
  const project = useProject()
  const items = useProjects().data?.items ?? []
  const active = items.filter((p) => p.body.status === 'ACTIVE')
  const here = items.find((p) => p.id === project)
  const first = active.slice(0, few)
  const shown = !here || first.includes(here) ? first : [...active.slice(0, few - 1), here]
  const rest = active.filter((p) => !shown.includes(p)).length
  if (items.length === 0) return null
  return (
    <section aria-label="Projects" className="flex flex-col gap-px">
      <h2 className="m-0! px-[.45rem] text-[.8rem]! font-normal text-muted">Projects</h2>
      {shown.map((p) => (
        <Link key={p.id} to="." search={(({ form }: Place) => ({ project: p.id, form })) as never} aria-current={p === here ? 'page' : undefined} title={p.body.name}>
          <span className="truncate">{p.body.name}</span>
        </Link>
      ))}
      {rest > 0 && (
        <button type="button" className="plain flex justify-between px-[.462rem]! text-muted!" onClick={openPicker}>{rest} more <kbd>Alt P</kbd></button>
      )}
    </section>
  )
}
