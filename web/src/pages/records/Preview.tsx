import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api/client'
import { useNarrow } from '../../frame/narrow'
import { useCalm } from '../../lib/calm'
import { ops, spoken } from '../../lib/changes'
import { titleOf } from '../../lib/order'
import { moment } from '../../lib/when'
import { useWho } from '../../lib/who'
import { Fields } from '../../ui/Fields'
import { Foot } from '../../ui/Foot'
import { Markdown } from '../../ui/Markdown'
import { Sources } from '../../ui/Sources'
import { useHistory, useRecord } from './Around'
import { longOf, type Rec } from './quick'
import { Rest } from './Rest'

/** most is how many of its last changes are shown. */
const most = 6

/** Preview is the record of the chosen row, at the foot of a list: what it says, the words that it comes from, and what became of it last. There is none where there is no room. */
export function Preview({ id }: { id: string }) {
  const narrow = useNarrow()
  const shown = useCalm(id)
  return narrow || shown === '' ? null : <Shown id={shown} />
}

function Shown({ id }: { id: string }) {
  const record = useRecord(id).data
  const history = useHistory(id).all
  if (!record) return null
  return (
    <Foot name="The chosen record">
      <h3 className="mt-0!"><Link to="/records/$id" params={{ id }}>{titleOf(record.body as { [field: string]: unknown }) || spoken(record.kind)}</Link> <span className="font-normal text-muted">{spoken(record.kind)}</span></h3>
      <div className="grid grid-cols-3 items-start gap-x-8">
        <Says of={record} />
        <section aria-label="Where it comes from" className="min-w-0">
          <h4 className="mt-0! mb-1! text-accent">Where it comes from</h4>
          <Sources of={(record.body as { sources?: Schemas['DeskSource'][] }).sources} hint="No words were kept for this record." />
        </section>
        <section aria-label="What became of it" className="min-w-0">
          <h4 className="mt-0! mb-1! text-accent">What became of it</h4>
          {history.slice(0, most).map((c) => <Change key={c.eventId} of={c} />)}
          {history.length > most && <Link to="/records/$id" params={{ id }}>all {history.length} changes</Link>}
        </section>
      </div>
    </Foot>
  )
}

/** Says is what a record says: its text, and its other fields. */
function Says({ of: r }: { of: Rec }) {
  const long = longOf(r.kind)
  const text = long && String((r.body as { [field: string]: unknown })[long] ?? '')
  return (
    <section aria-label="What it says" className="min-w-0">
      <h4 className="mt-0! mb-1! text-accent">What it says</h4>
      {text && <Markdown text={text} />}
      <Rest of={r} />
    </section>
  )
}

/** Change is what one event changed, who made it and when. */
function Change({ of: c }: { of: ReturnType<typeof useHistory>['all'][number] }) {
  const who = useWho()
  return (
    <div className="border-b border-line py-1">
      <div className="flex gap-x-3 text-sm text-faint"><span className="min-w-0 truncate">{(c.by ?? []).map(who).join(', ')}</span><time dateTime={c.at} className="ml-auto shrink-0">{moment(c.at)}</time></div>
      {c.op === 'updated' ? <Fields of={c.fields} most={3} /> : <span className={ops[c.op]?.look}>{c.op === 'created' ? 'created it' : `${ops[c.op]?.word ?? c.op} it`}</span>}
    </div>
  )
}
