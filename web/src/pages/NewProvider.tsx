import { type FormEvent, useState } from 'react'
import type { Schemas } from '../api/client'

type Body = Schemas['ProviderBody']

const kinds: Body['kind'][] = ['anthropic', 'openai', 'gemini']

/** NewProvider adds a provider, or replaces the one of that name; its key is sent and forgotten. */
export function NewProvider(p: { names: string[]; busy: boolean; onAdd: (b: Body) => Promise<unknown> }) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState<Body['kind']>('anthropic')
  const [model, setModel] = useState('')
  const [address, setAddress] = useState('')
  const [key, setKey] = useState('')
  const there = p.names.includes(name.trim())
  const submit = async (e: FormEvent) => {
    e.preventDefault()
    const body: Body = { name: name.trim(), kind, model: model.trim(), ...(address.trim() ? { base_url: address.trim() } : {}), ...(key ? { key } : {}) }
    const added = await p.onAdd(body).then(() => true, () => false) // the page tells what was wrong
    if (!added) return
    for (const clear of [setName, setModel, setAddress, setKey]) clear('')
  }
  return (
    <>
      <h3>Add a provider</h3>
      <form className="grid gap-2 @4xl:grid-cols-[1fr_auto_1fr_1fr_1fr_auto]" aria-label="Provider" autoComplete="off" onSubmit={submit}>
        <input className="min-w-0" aria-label="Name of the provider" placeholder="Name, such as claude" required value={name} onChange={(e) => setName(e.target.value)} />
        <select aria-label="Wire" title="what it speaks; openai also for every compatible server" value={kind} onChange={(e) => setKind(e.target.value as Body['kind'])}>
          {kinds.map((k) => <option key={k}>{k}</option>)}
        </select>
        <input className="min-w-0" aria-label="Model" placeholder="Model" required value={model} onChange={(e) => setModel(e.target.value)} />
        <input className="min-w-0" aria-label="Address" placeholder="Address, or its own" value={address} onChange={(e) => setAddress(e.target.value)} />
        <input className="min-w-0" aria-label="Key" type="password" autoComplete="new-password" placeholder={there ? 'Key, or the one there' : 'Key, if it needs one'} value={key} onChange={(e) => setKey(e.target.value)} />
        <button type="submit" disabled={p.busy}>{there ? 'Replace' : 'Add'}</button>
      </form>
    </>
  )
}
