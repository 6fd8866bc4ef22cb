import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, must } from '../api/client'
import type { Role } from '../lib/me'
import { moment } from '../lib/when'

/** Invite makes an invitation, and shows once how it is accepted. */
export function Invite(p: { roles: Role[] }) {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('editor')
  const make = useMutation({
    mutationFn: (body: { name: string; role: Role }) => must(api.POST('/api/persons/invite', { body })),
    onSuccess: () => setName(''),
    onSettled: () => queries.invalidateQueries({ queryKey: ['person', 'tokens'] }),
  })
  const made = make.data
  return (
    <>
      <h3>Invite somebody</h3>
      <form className="row" aria-label="Invitation" onSubmit={(e) => { e.preventDefault(); make.mutate({ name: name.trim(), role }) }}>
        <input id="invite" aria-label="Name of the person" placeholder="Name of the person" required maxLength={100} value={name} onChange={(e) => setName(e.target.value)} />
        <select aria-label="Role of the person" value={role} onChange={(e) => setRole(e.target.value as Role)}>
          {p.roles.map((r) => <option key={r}>{r}</option>)}
        </select>
        <button type="submit" disabled={make.isPending || name.trim() === ''}>Invite</button>
      </form>
      {make.error && <p className="danger" role="alert">{make.error.message}</p>}
      {made && (
        <div className="card" role="status">
          <p>Give this to {make.variables.name}. It is shown once, opens once, and ends on {moment(made.expires)}:</p>
          <p className="wrap-anywhere"><code data-testid="invitation">chela invite --accept {made.token}</code></p>
          <button type="button" className="px-2 py-0" onClick={() => make.reset()}>Hide it</button>
        </div>
      )}
    </>
  )
}
