import type { ReactNode } from 'react'
import { later } from '../lib/later'
import { saying, useMoment } from '../lib/moment'
import { drawn, kindsOf, spans } from './differences'
import { Moment } from './Moment'

const Changes = later(() => import('../pages/Changes'), 'Changes')

/** Past is a bar that cannot be missed while an earlier moment is shown, with the control. */
export function Past({ project }: { project: string }) {
  const { asOf, since, past, go } = useMoment()
  if (!past) return null
  return (
    <div role="status" data-testid="past" className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 border border-warn bg-panel px-3 py-1 text-warn shadow-[inset_4px_0_0_var(--color-warn)]">
      <span>As it was at {saying(asOf)}. Nothing can be changed here.</span>
      <span className="ml-auto flex flex-wrap gap-2">
        {since === '' && <button type="button" className="px-2 py-0" onClick={() => go({ asOf: '', since: asOf })}>What changed since</button>}
        <button type="button" className="px-2 py-0" onClick={() => go({ asOf: '' })}>Back to now</button>
        <Moment project={project} />
      </span>
    </div>
  )
}

/**
 * Timed gives a view its moment: the control, the bar of an earlier one, and in place of the
 * view its own difference between two moments, when the address asks for it. of is the view's path, or the id of
 * the record that it shows.
 */
export function Timed(p: { project: string; of: string; children: ReactNode }) {
  const { since, past } = useMoment()
  const Drawn = drawn[p.of]
  return (
    <>
      {!past && <div className="float-right ml-3"><Moment project={p.project} /></div>}
      <Past project={p.project} />
      {since === '' || spans.includes(p.of) ? p.children : Drawn ? <Drawn project={p.project} /> : <Changes project={p.project} {...(kindsOf[p.of] ? { kinds: kindsOf[p.of] } : p.of.startsWith('/') ? {} : { record: p.of })} />}
    </>
  )
}
