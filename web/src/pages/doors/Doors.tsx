import { ViewHead } from '../../ui/ViewHead'
import { Keys } from './Keys'

/** Doors shows by what programs reach the organization, and by what it reaches them. */
export function Doors() {
  return (
    <section>
      <ViewHead title="Doors" primary={{ name: 'New key', act: () => document.getElementById('new-key')?.focus() }} />
      <Keys />
    </section>
  )
}
