import { initials } from '../lib/talk'

/** Avatar stands for who speaks, by initials: an agent in a frame, a person on a ground of its own. */
export function Avatar(p: { name: string; agent: boolean; small?: boolean }) {
  return (
    <span aria-hidden="true" className={`grid shrink-0 place-items-center font-bold select-none ${p.small ? 'size-5 text-[.7rem]' : 'size-8 text-[.85rem]'} ${p.agent ? 'border border-accent text-accent' : 'bg-chosen text-text'}`}>
      {initials(p.name)}
    </span>
  )
}
