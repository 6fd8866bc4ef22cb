import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, must } from '../../api/client'
import { agentOf, empty } from '../../lib/agentform'
import { Fields } from './Fields'

/** New makes an agent. */
export function New(p: { onMade: (name: string) => void; onLeave: () => void }) {
  const queries = useQueryClient()
  const [id, setID] = useState('')
  const [form, setForm] = useState(empty)
  const make = useMutation({
    mutationFn: () => must(api.POST('/api/agents', { body: agentOf(id, { ...form, name: form.name.trim() || id }) })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['agent'] })
      p.onMade(id.trim())
    },
  })
  return (
    <section className="@container max-w-[110ch]">
      <form aria-label="New agent" className="grid gap-3" onSubmit={(e) => {
        e.preventDefault()
        make.mutate()
      }}>
        <h2 className="m-0!">New agent</h2>
        <label className="grid max-w-[40ch] gap-0.5"><span className="text-xs text-muted">Name, by which it is spoken to</span><input aria-label="Name of the agent" placeholder="release-notes" required value={id} onChange={(e) => setID(e.target.value)} /></label>
        <Fields of={form} onChange={setForm} may />
        {make.error && <p className="m-0! danger" role="alert">{make.error.message}</p>}
        <div className="row my-0!">
          <button type="submit" disabled={make.isPending}>Make it</button>
          <button type="button" onClick={p.onLeave}>Leave it</button>
        </div>
      </form>
    </section>
  )
}
