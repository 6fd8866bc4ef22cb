import { ViewHead } from '../../ui/ViewHead'
import { Whole } from '../../ui/Whole'
import { useMay } from '../../lib/me'
import { Addresses } from './Addresses'
import { Incoming } from './Incoming'
import { Keys } from './Keys'
import { Servers } from './Servers'
import { Trackers } from './Trackers'
import { Webhooks } from './Webhooks'
import { Workers } from './Workers'

/** Doors shows by what programs reach the organization, and by what it reaches them. */
export function Doors() {
  const admin = useMay('admin')
  const editor = useMay('editor')
  return (
    <Whole>
      <ViewHead title="Doors" primary={{ name: 'New key', act: () => document.getElementById('new-key')?.focus() }} />
      <Keys />
      <Addresses />
      {editor && <Trackers />}
      {admin && <Webhooks />}
      {admin && <Incoming />}
      {admin && <Servers />}
      {admin && <Workers />}
    </Whole>
  )
}
