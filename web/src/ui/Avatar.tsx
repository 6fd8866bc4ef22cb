import { initials } from '../lib/talk'

/** Avatar stands for who speaks, by initials: a person is a disc, an agent a frame. */
export function Avatar(p: { name: string; agent: boolean; small?: boolean }) {
  return (
    <span
      aria-hidden="true" data-initials={initials(p.name)}
      className={`inline-grid shrink-0 place-items-center font-bold select-none before:content-[attr(data-initials)] ${p.small ? 'size-5 text-[.65rem]' : 'size-8 text-xs'} ${p.agent ? 'border border-agent text-agent' : 'rounded-full bg-person text-bg'}`}
    />
  )
}
