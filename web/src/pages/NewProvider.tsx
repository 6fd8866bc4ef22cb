import { type FormEvent, type ReactNode, useState } from 'react'
import type { Schemas } from '../api/client'
import { takeFocus } from '../lib/focus'
import { useUnsaved } from '../lib/unsaved'

type Body = Schemas['ProviderBody']

/** kinds are the vendors whose format is spoken, each with an example of a model. */
const kinds: { [kind in Body['kind']]: { name: string; model: string; address: string } } = {
  anthropic: { name: 'Anthropic', model: 'claude-sonnet-4-5', address: 'https://api.anthropic.com' },
  openai: { name: 'OpenAI, or a server that speaks its format', model: 'gpt-4o, llama3.1', address: 'http://127.0.0.1:11434/v1 for Ollama' },
  gemini: { name: 'Google Gemini', model: 'gemini-2.5-pro', address: 'https://generativelanguage.googleapis.com' },
}

/** Field is a field with its name above and a hint below. */
export function Field(p: { name: string; hint?: ReactNode; children: ReactNode }) {
  return (
    <div className="grid min-w-0 content-start gap-1">
      <span className="text-sm text-accent" aria-hidden="true">{p.name}</span>
      {p.children}
      {p.hint && <span className="text-sm text-muted">{p.hint}</span>}
    </div>
  )
}

/** NewProvider adds a provider, or replaces the one of that name; its key is sent and forgotten. It needs a vendor, a model and mostly a key; the rest is folded. */
export function NewProvider(p: { names: string[]; busy: boolean; onAdd: (b: Body) => Promise<unknown>; onClose?: () => void }) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState<Body['kind']>('anthropic')
  const [model, setModel] = useState('')
  const [address, setAddress] = useState('')
  const [key, setKey] = useState('')
  useUnsaved([name, model, address, key].some((v) => v.trim() !== ''))
  const called = name.trim() || kind
  const there = p.names.includes(called)
  const submit = async (e: FormEvent) => {
    e.preventDefault()
    const body: Body = { name: called, kind, model: model.trim(), ...(address.trim() ? { base_url: address.trim() } : {}), ...(key ? { key } : {}) }
    const added = await p.onAdd(body).then(() => true, () => false) // the page tells what was wrong
    if (!added) return
    for (const clear of [setName, setModel, setAddress, setKey]) clear('')
    p.onClose?.()
  }
  return (
    <form className="card" aria-label="Provider" autoComplete="off" onSubmit={submit}>
      <div className="grid gap-3 @3xl:grid-cols-3">
        <Field name="Provider">
          <select data-first {...(p.onClose && { ref: takeFocus })} aria-label="Wire" value={kind} onChange={(e) => setKind(e.target.value as Body['kind'])}>
            {Object.entries(kinds).map(([k, of]) => <option key={k} value={k}>{of.name}</option>)}
          </select>
        </Field>
        <Field name="Model" hint={`such as ${kinds[kind].model}`}><input aria-label="Model" required value={model} onChange={(e) => setModel(e.target.value)} /></Field>
        <Field name="Key" hint={there ? 'empty keeps the one that is stored' : 'sealed in the vault, never shown again; a server of your own may need none'}>
          <input aria-label="Key" type="password" autoComplete="new-password" value={key} onChange={(e) => setKey(e.target.value)} />
        </Field>
      </div>
      <details className="my-2">
        <summary className="cursor-pointer text-muted">More: address, name</summary>
        <div className="mt-2 grid gap-3 @3xl:grid-cols-2">
          <Field name="Address" hint={`empty for the vendor’s own; ${kinds[kind].address}`}><input aria-label="Address" value={address} onChange={(e) => setAddress(e.target.value)} /></Field>
          <Field name="Name" hint={`by which it is chosen; ${kind} when empty`}><input aria-label="Name of the provider" value={name} onChange={(e) => setName(e.target.value)} /></Field>
        </div>
      </details>
      <div className="row mb-0!">
        <button type="submit" className="primary" disabled={p.busy}>{there ? 'Replace and test' : 'Add and test'}</button>
        {p.onClose && <button type="button" onClick={p.onClose}>Cancel</button>}
      </div>
    </form>
  )
}
