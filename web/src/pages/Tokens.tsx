import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, must, type Schemas } from '../api/client'
import { moment } from '../lib/when'
import { State } from '../ui/State'
import { Table } from '../ui/Table'

type Token = Schemas['TokenOut']
type Person = Schemas['OrgPerson']

/** kinds say what a token is. */
const kinds = { token: 'token of a program', cookie: 'login on the page', login: 'login link', invite: 'invitation' }

/** Tokens lists what opens for whom, and revokes it: one's own, for an admin everybody's. */
export function Tokens(p: { me: Person | undefined; persons: Person[] }) {
  const queries = useQueryClient()
  const q = useQuery({ queryKey: ['person', 'tokens'], queryFn: () => must(api.GET('/api/tokens')) })
  const revoke = useMutation({
    mutationFn: (t: Token) => must(api.DELETE('/api/tokens/{id}', { params: { path: { id: t.id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['person', 'tokens'] }),
  })
  const whose = (t: Token) => (t.person ? (p.persons.find((x) => x.id === t.person)?.name ?? t.person) : t.label)
  const may = (t: Token) => t.person === p.me?.id || p.me?.role === 'owner' || (p.persons.find((x) => x.id === t.person)?.role ?? t.role) !== 'owner'
  return (
    <>
      <h3>Tokens and logins</h3>
      {revoke.error && <p className="danger" role="alert">{revoke.error.message}</p>}
      <State pending={q.isPending} error={q.error} empty={q.data?.length === 0} hint="No tokens.">
        <Table
          heads={['Whose', 'Kind', 'Name', 'Since', 'Until', 'Last used', '']}
          rows={(q.data ?? []).map((t) => ({
            key: t.id,
            cells: [
              whose(t),
              `${kinds[t.purpose]}${t.role ? `, ${t.role}` : ''}`,
              t.person ? t.label : '',
              moment(t.created_at),
              t.expires_at ? moment(t.expires_at) : <span key="until" className="text-muted">no end</span>,
              t.used_at ? moment(t.used_at) : <span key="used" className="text-muted">never</span>,
              may(t) && (
                <button
                  key="do" type="button" className="px-2 py-0" disabled={revoke.isPending} aria-label={`Revoke the ${kinds[t.purpose]} of ${whose(t)}, ${t.id}`}
                  onClick={() => confirm(`Revoke the ${kinds[t.purpose]} of ${whose(t)}? Whoever uses it is shut out at once.`) && revoke.mutate(t)}
                >
                  Revoke
                </button>
              ),
            ],
          }))}
        />
      </State>
    </>
  )
}
