import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, must } from '../../api/client'
import { recent } from '../../lib/when'
import { usePersons } from '../../lib/who'

/** PairingRequests lets strangers in who were given a code: the channel knows them as a member from then on. */
export function PairingRequests() {
  const queries = useQueryClient()
  const q = useQuery({ queryKey: ['channel', 'requests'], queryFn: () => must(api.GET('/api/pairings')), refetchInterval: 30_000 }) // a code counts for ten minutes
  const persons = usePersons().data ?? []
  const [as, setAs] = useState<{ [code: string]: string }>({})
  const pair = useMutation({
    mutationFn: ({ code, person }: { code: string; person: string }) => must(api.POST('/api/pairings/{code}', { params: { path: { code } }, body: { person } })),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['channel'] }),
  })
  const list = q.data ?? []
  if (list.length === 0 && !pair.error) return null
  return (
    <>
      <h3>Pairing requests</h3>
      {pair.error && <p className="danger" role="alert">{pair.error.message}</p>}
      {list.map((k) => (
        <form key={k.code} className="row" onSubmit={(e) => { e.preventDefault(); pair.mutate({ code: k.code, person: as[k.code] ?? '' }) }}>
          <span><code>{k.code}</code> until {recent(k.until)}: {k.sender} on {k.channel}, calls themself “{k.name}”</span>
          <label>is <select aria-label={`Who ${k.sender} is`} required value={as[k.code] ?? ''} onChange={(e) => setAs({ ...as, [k.code]: e.target.value })}>
            <option value="">…</option>
            {persons.filter((p) => p.enabled).map((p) => <option key={p.id} value={p.id}>{p.name}, {p.role}</option>)}
          </select></label>
          <button type="submit" disabled={pair.isPending}>Pair</button>
        </form>
      ))}
      <p className="muted">The name is what the platform shows; anybody can choose one. Pair only whom you have asked for the code.</p>
    </>
  )
}
