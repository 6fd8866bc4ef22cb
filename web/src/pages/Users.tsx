import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, must, type Schemas } from '../api/client'
import { includes, type Role, roles, useMe } from '../lib/me'
import { day } from '../lib/when'
import { usePersons } from '../lib/who'
import { State } from '../ui/State'
import { Table } from '../ui/Table'
import { ViewHead } from '../ui/ViewHead'
import { Invite } from './Invite'
import { Tokens } from './Tokens'

type Person = Schemas['OrgPerson']

/** offered are the roles that somebody of this role may give: only an owner makes owners. */
export const offered = (mine: string | undefined): Role[] => roles.filter((r) => r !== 'owner' || mine === 'owner')

/** mayChange says whether one person may change another: an admin anybody but an owner. */
const mayChange = (me: Person | undefined, p: Person) => includes(me?.role, 'admin') && (p.role !== 'owner' || me?.role === 'owner')

/** Users shows who works here and what they may do; it invites, changes roles and shuts out. */
export function Users() {
  const queries = useQueryClient()
  const me = useMe()
  const q = usePersons()
  const change = useMutation({
    mutationFn: ({ id, ...body }: Schemas['PersonEdit'] & { id: string }) => must(api.PATCH('/api/persons/{id}', { params: { path: { id } }, body })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['person'] }),
  })
  const give = (p: Person, role: Role) => {
    if (p.id !== me?.id || confirm(`You would be ${role} from then on, and could not undo it. Change your own role?`)) change.mutate({ id: p.id, role })
  }
  const admin = includes(me?.role, 'admin')
  return (
    <section>
      <ViewHead title="Users" total={q.data?.length} primary={admin && { name: 'Invite', act: () => document.getElementById('invite')?.focus() }} />
      {change.error && <p className="danger" role="alert">{change.error.message}</p>}
      <State pending={q.isPending} error={q.error} empty={q.data?.length === 0} hint="No users yet.">
        <Table
          heads={['Name', 'Role', 'State', 'Known as', 'Since', '']}
          rows={(q.data ?? []).map((p) => ({
            key: p.id,
            cells: [
              <span key="name">{p.name} {p.id === me?.id && <span className="chip">you</span>}</span>,
              mayChange(me, p)
                ? (
                  <select key="role" aria-label={`Role of ${p.name}`} className="py-0" value={p.role} disabled={change.isPending} onChange={(e) => give(p, e.target.value as Role)}>
                    {offered(me?.role).map((r) => <option key={r}>{r}</option>)}
                  </select>
                )
                : p.role,
              p.enabled ? 'active' : <span key="state" className="text-warn">disabled</span>,
              (p.identities ?? []).join(', '),
              day(p.created_at),
              mayChange(me, p) && p.id !== me?.id && (
                <button key="do" type="button" className="px-2 py-0" disabled={change.isPending} aria-label={`${p.enabled ? 'Disable' : 'Enable'} ${p.name}`} onClick={() => change.mutate({ id: p.id, enabled: !p.enabled })}>
                  {p.enabled ? 'Disable' : 'Enable'}
                </button>
              ),
            ],
          }))}
        />
      </State>
      {!admin && me && <p className="text-muted">You are {me.role}. An admin invites people and changes what they may do.</p>}
      {admin && <Invite roles={offered(me?.role)} />}
      <Tokens me={me} persons={q.data ?? []} />
    </section>
  )
}
