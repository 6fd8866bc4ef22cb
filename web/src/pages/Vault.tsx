import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, type FormEvent, type RefObject } from 'react'
import { api, done, must, type Schemas } from '../api/client'
import { moment } from '../lib/when'
import { useWho } from '../lib/who'
import { State } from '../ui/State'
import { Table } from '../ui/Table'
import { ViewHead } from '../ui/ViewHead'
import { Lately } from './log/Lately'

type Grant = Schemas['GuardSecretGrant']

const granted = (g: Grant) => `${(g.tools ?? []).join(', ')} of ${(g.agents ?? []).join(', ') || 'all agents'} in ${(g.projects ?? []).join(', ') || 'all projects'}`

/** taken empties a field and returns what was in it, which nothing else here keeps. */
function taken(field: RefObject<HTMLInputElement | null>): string {
  const value = field.current?.value ?? ''
  if (field.current) field.current.value = ''
  return value
}

/** became says what an event of the vault is about. Their payloads have names only. */
function became(e: Schemas['Logged']): string {
  const said = e.payload as { name?: string; version?: number; names?: string[] }
  if (e.type === 'vault.set') return `${(said.version ?? 1) > 1 ? `replaced ${said.name}, version ${said.version}` : `set ${said.name}`}`
  return e.type === 'vault.removed' ? `removed ${said.name}` : `sealed ${(said.names ?? []).length} anew under a new key`
}

/** Vault shows the names of secrets and who may use them. Values go one way only. */
export function Vault() {
  const queries = useQueryClient()
  const who = useWho()
  const q = useQuery({ queryKey: ['vault'], queryFn: () => must(api.GET('/api/vault')) })
  const again = { onSettled: () => void queries.invalidateQueries({ queryKey: ['vault'] }) }
  const name = useRef<HTMLInputElement>(null)
  const value = useRef<HTMLInputElement>(null)
  const set = useMutation({
    mutationFn: () => done(api.PUT('/api/vault/secrets/{name}', { params: { path: { name: name.current?.value ?? '' } }, body: { value: taken(value) } })),
    onSuccess: () => { if (name.current) name.current.value = '' },
    ...again,
  })
  const remove = useMutation({ mutationFn: (secret: string) => done(api.DELETE('/api/vault/secrets/{name}', { params: { path: { name: secret } } })), ...again })
  const wrong = set.error ?? remove.error
  const v = q.data
  return (
    <section>
      <ViewHead title="Vault" primary={{ name: 'New secret', act: () => document.getElementById('new-secret')?.querySelector<HTMLElement>('select, input')?.focus() }} />
      {wrong && <p className="danger" role="alert">{wrong.message}</p>}
      <State pending={q.isPending} error={q.error}>
        {v?.refusal && <p className="danger">{v.refusal}</p>}
        {v?.note && <p className="muted">{v.note}</p>}
        {(v?.missing ?? []).map((m) => <p key={m} className="danger">The policy grants {m}, which is not here. Set it below.</p>)}
        <State pending={false} error={null} empty={v?.secrets?.length === 0} hint="The vault is empty.">
          <Table
            heads={['Name', 'Set', 'Version', 'Granted to', '']}
            rows={(v?.secrets ?? []).map((s) => ({
              key: s.name,
              cells: [
                <span key="name">{s.name}{s.broken && <p className="danger">{s.broken}</p>}</span>, `${moment(s.set_at)} by ${who(s.set_by)}`, s.version,
                s.own ? 'the daemon itself' : (s.grants ?? []).map(granted).join('; ') || <span key="none" className="muted">nobody; the policy grants it (secrets)</span>,
                s.own ? '' : <button key="rm" type="button" aria-label={`Remove ${s.name}`} disabled={remove.isPending} onClick={() => confirm(`Forget ${s.name}? Its value is gone then.`) && remove.mutate(s.name)}>Remove</button>,
              ],
            }))}
          />
        </State>
        <h3>Set a secret</h3>
        <form id="new-secret" className="row" autoComplete="off" onSubmit={(e: FormEvent) => { e.preventDefault(); set.mutate() }}>
          <label>Name <input type="text" aria-label="Name of the secret" ref={name} required pattern="[A-Z][A-Z0-9_]*" title="Capital letters, digits and _" /></label>
          <label>Value <input aria-label="Value" type="password" ref={value} required minLength={8} autoComplete="new-password" /></label>
          <button type="submit" disabled={set.isPending}>Set</button>
        </form>
        <p className="muted">The value is sealed in the vault and never shown again. Setting it again replaces it.</p>
        <Keys locked={v?.locked ?? false} />
        <Lately name="What became of secrets" of="vault" space="vault" says={became} />
      </State>
    </section>
  )
}

/** Keys opens a locked vault, and seals it anew. */
function Keys({ locked }: { locked: boolean }) {
  const queries = useQueryClient()
  const again = { onSettled: () => void queries.invalidateQueries({ queryKey: ['vault'] }) }
  const key = useRef<HTMLSelectElement>(null)
  const pass = useRef<HTMLInputElement>(null)
  const unlock = useMutation({ mutationFn: () => done(api.POST('/api/vault/unlock', { body: { passphrase: taken(pass) } })), ...again })
  const rotate = useMutation({
    mutationFn: () => {
      const body: Schemas['VaultRotation'] = {}
      const [from, passphrase] = [key.current?.value as Schemas['VaultRotation']['key'] | '', taken(pass)]
      if (from) body.key = from
      if (passphrase) body.passphrase = passphrase
      return done(api.POST('/api/vault/rotate', { body }))
    },
    ...again,
  })
  const wrong = unlock.error ?? rotate.error
  if (locked) {
    return (
      <form className="row" onSubmit={(e: FormEvent) => { e.preventDefault(); unlock.mutate() }}>
        {wrong && <p className="danger" role="alert">{wrong.message}</p>}
        <label>Passphrase <input aria-label="Passphrase" type="password" ref={pass} required autoComplete="off" /></label>
        <button type="submit" disabled={unlock.isPending}>Unlock</button>
      </form>
    )
  }
  return (
    <>
      <h3>Rotate the key</h3>
      {wrong && <p className="danger" role="alert">{wrong.message}</p>}
      {rotate.isSuccess && <p role="status">All secrets are sealed anew.</p>}
      <form className="row" onSubmit={(e: FormEvent) => { e.preventDefault(); if (confirm('Seal all secrets anew under a new key?')) rotate.mutate() }}>
        <label>Key from <select aria-label="Key from" ref={key}><option value="">as before</option><option value="passphrase">a passphrase</option><option value="keyring">the keyring</option><option value="file">a file</option></select></label>
        <label>New passphrase <input aria-label="New passphrase" type="password" ref={pass} autoComplete="new-password" /></label>
        <button type="submit" disabled={rotate.isPending}>Rotate</button>
      </form>
    </>
  )
}
