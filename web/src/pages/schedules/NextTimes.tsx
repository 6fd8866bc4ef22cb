import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, must, type Schemas } from '../../api/client'

/** wait is how long after the last key the next times are asked for, in milliseconds. */
const wait = 250

/** NextTimes shows when a schedule would work, before it is saved. */
export function NextTimes({ of }: { of: Schemas['ScheduleBody'] }) {
  const said = JSON.stringify(of)
  const [asked, setAsked] = useState(said)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(said), wait)
    return () => clearTimeout(timer)
  }, [said])
  const q = useQuery({
    queryKey: ['schedule', 'preview', asked],
    queryFn: () => must(api.POST('/api/schedules/preview', { body: JSON.parse(asked) as Schemas['ScheduleBody'] })),
    placeholderData: keepPreviousData,
    retry: false,
  })
  const wrong = q.error?.message ?? q.data?.problem
  if (wrong) return <p className="m-0 w-full text-danger" role="status">{wrong}</p>
  const next = q.data?.next ?? []
  if (of.scheduleType === 'IMMEDIATE') return <p className="m-0 w-full text-muted" role="status">It runs once, as soon as it is saved.</p>
  if (next.length === 0) return <p className="m-0 w-full text-muted" role="status">{q.isPending ? 'Looking up the next times…' : 'It would never run.'}</p>
  const zone = q.data?.timezone ?? 'UTC'
  const text = (at: string) => new Date(at).toLocaleString('en-GB', { timeZone: zone, weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
  return <p className="m-0 w-full" role="status"><span className="text-muted">Next, in {zone}:</span> {next.map(text).join(' · ')}</p>
}
