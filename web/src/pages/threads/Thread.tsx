import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, must } from '../../api/client'
import { useMoment } from '../../lib/moment'
import { useKeys } from '../../lib/pane'
import { day } from '../../lib/when'
import { State } from '../../ui/State'
import { Talk } from '../chat/Talk'
import { Holds } from './Holds'

/** Thread is one thread: what it holds, and the conversation in which people and agents go on with it. */
export function Thread({ project, id, onBack }: { project: string; id: string; onBack: () => void }) {
  const { asOf, past, query } = useMoment()
  const navigate = useNavigate()
  const [wanted, setTalking] = useState(false)
  const talking = wanted && !past // nothing is said to the past
  const q = useQuery({ queryKey: ['thread', 'one', id, asOf], queryFn: () => must(api.GET('/api/projects/{project}/threads/{id}', { params: { path: { project, id }, query } })) })
  const said = useQuery({ queryKey: ['message', 'some', id], queryFn: () => must(api.GET('/api/conversations/{id}/messages', { params: { path: { id }, query: { limit: 500 } } })) })
  useKeys(past ? [] : [{ key: 'c', does: talking ? 'what the thread holds' : 'discuss it with an agent', act: () => setTalking(!talking) }])
  const b = q.data?.body
  return (
    <>
      <div className="border-b border-line px-4 py-2">
        <div className="flex items-center gap-2">
          <button type="button" className="plain px-1! @3xl:hidden" onClick={onBack} aria-label="All threads">‹</button>
          <h3 className="m-0! min-w-0 flex-1 text-lg! wrap-anywhere">{b?.title ?? 'Thread'}</h3>
          <Link to="/records/$id" params={{ id }} className="text-sm">record</Link>
        </div>
        <p className="m-0! min-h-[1.5em] text-xs text-muted wrap-anywhere">{b && [day(b.date), b.attendees && b.attendees.length > 0 && `with ${b.attendees.join(', ')}`, b.lifecycle.toLowerCase()].filter(Boolean).join(' · ')}</p>
        <div className="mt-1 flex gap-1">
          <button type="button" aria-pressed={!talking} className={`px-2 py-0 ${talking ? '' : 'bg-selected!'}`} onClick={() => setTalking(false)}>What it holds</button>
          <button type="button" aria-pressed={talking} disabled={past} className={`px-2 py-0 ${talking ? 'bg-selected!' : ''}`} onClick={() => setTalking(true)}>Discuss with an agent{(said.data?.length ?? 0) > 0 && ` · ${said.data?.length}`} <kbd>c</kbd></button>
        </div>
      </div>
      {talking
        ? <Talk thread={id} onBack={() => setTalking(false)} about={b?.title ?? 'the thread'} onElsewhere={(thread) => void navigate({ to: '/chat', search: { project, thread } } as never)} />
        : <div className="min-h-0 flex-1 overflow-y-auto px-4 py-3"><State pending={q.isPending} error={q.error}>{b && <Holds project={project} of={b} />}</State></div>}
    </>
  )
}
