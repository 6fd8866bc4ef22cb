import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, done, must } from '../../api/client'
import { addressOf, useFilters } from '../../lib/filters'
import { ownKey } from '../../lib/layouts'
import { usePlace } from '../../lib/project'
import { LineForm } from '../../ui/LineForm'
import { Failed } from '../../ui/State'
import { toast } from '../../ui/toast'

/** SaveFilter saves what the tickets are narrowed by under a name, in the rail, or removes it when it was saved. */
export function SaveFilter() {
  const queries = useQueryClient()
  const [place] = usePlace()
  const [asked, setAsked] = useState(false)
  const address = addressOf('/tickets', { ...place, thread: undefined })
  const saved = useFilters().find((f) => addressOf(f.to, f.search) === address)
  const fresh = () => queries.invalidateQueries({ queryKey: ownKey })
  const put = (name: string) => must(api.PUT('/api/me/layouts/{name}', { params: { path: { name } }, body: { address } }))
  const drop = (name: string) => done(api.DELETE('/api/me/layouts/{name}', { params: { path: { name } } }))
  const save = useMutation({
    mutationFn: put,
    onSuccess: (_, name) => toast(`Saved the filter ${name}`, { undo: () => drop(name).then(fresh) }),
    onSettled: fresh,
  })
  const remove = useMutation({
    mutationFn: drop,
    onSuccess: (_, name) => toast(`Removed the filter ${name}`, { undo: () => put(name).then(fresh) }),
    onSettled: fresh,
  })
  if (saved) return <button type="button" onClick={() => remove.mutate(saved.name)}>Remove “{saved.name}”</button>
  return (
    <>
      {asked
        ? <LineForm label="Name of the filter" fields={[['Name of the filter', '']]} onClose={() => setAsked(false)} onSave={([name]) => save.mutate(name ?? '')} />
        : <button type="button" onClick={() => setAsked(true)}>Save filter</button>}
      <Failed of={save.error ?? remove.error} />
    </>
  )
}
