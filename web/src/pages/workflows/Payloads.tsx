import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, must } from '../../api/client'
import { useMay } from '../../lib/me'
import { recent } from '../../lib/when'
import { Failed, State } from '../../ui/State'
import { Table } from '../../ui/Table'

const empty = '{\n  "type": "object",\n  "properties": {},\n  "required": []\n}'

/** Payloads are the payload types that steps of workflows expect: those that come with Chela, and the organization's own, which are written here. */
export function Payloads() {
  const queries = useQueryClient()
  const may = useMay('editor')
  const [open, setOpen] = useState<string>()
  const q = useQuery({ queryKey: ['workflow', 'schemas'], queryFn: () => must(api.GET('/api/schemas')) })
  const again = { onSettled: () => void queries.invalidateQueries({ queryKey: ['workflow', 'schemas'] }) }
  const undo = useMutation({ mutationFn: (name: string) => must(api.POST('/api/schemas/{name}/undo', { params: { path: { name } } })), ...again })
  return (
    <section aria-label="Payload types">
      <h3 className="flex items-baseline gap-x-3">Payload types {may && <button type="button" className="plain text-sm text-muted!" onClick={() => setOpen('')}>new type</button>}</h3>
      {open !== undefined && <Write key={open} name={open} schema={q.data?.find((p) => p.name === open)?.schema} may={may} onClose={() => setOpen(undefined)} />}
      <Failed of={undo.error} />
      <State pending={q.isPending} error={q.error} empty={false}>
        <Table
          heads={['Type', 'Revision', 'Registered', '']}
          rows={(q.data ?? []).map((p) => ({
            key: p.name,
            cells: [
              <button key="name" type="button" className="plain text-link!" onClick={() => setOpen(p.name)}>{p.name}</button>,
              p.comes ? 'comes with Chela' : String(p.revision), p.at ? recent(p.at) : '',
              may && !p.comes && <button key="undo" type="button" aria-label={`Take back revision ${p.revision} of ${p.name}`} disabled={undo.isPending} onClick={() => undo.mutate(p.name)}>Take back</button>,
            ],
          }))}
        />
      </State>
    </section>
  )
}

/** Write is the schema of a type, who expects it, and where its next revision is written. */
function Write(p: { name: string; schema: unknown; may: boolean; onClose: () => void }) {
  const queries = useQueryClient()
  const [name, setName] = useState(p.name)
  const [text, setText] = useState(p.schema ? JSON.stringify(p.schema, null, 2) : empty)
  const of = useQuery({ queryKey: ['workflow', 'schemas', p.name], enabled: p.name !== '', queryFn: () => must(api.GET('/api/schemas/{name}', { params: { path: { name: p.name } } })) })
  const own = p.may && !of.data?.comes
  const save = useMutation({
    mutationFn: () => must(api.PUT('/api/schemas/{name}', { params: { path: { name } }, body: { schema: JSON.parse(text) } as never })),
    onSuccess: p.onClose, onSettled: () => void queries.invalidateQueries({ queryKey: ['workflow', 'schemas'] }),
  })
  return (
    <form
      aria-label={p.name === '' ? 'New payload type' : p.name} className="card mb-3 grid gap-2"
      onSubmit={(e) => {
        e.preventDefault()
        save.mutate()
      }}
      onKeyDown={(e) => e.key === 'Escape' && p.onClose()}
    >
      {p.name === '' ? <input aria-label="Name" placeholder="Name, such as invoice.total.v1" value={name} onChange={(e) => setName(e.target.value)} /> : <p className="m-0!"><code>{p.name}</code> <span className="text-muted">{(of.data?.usedBy ?? []).length > 0 ? `expected by ${of.data?.usedBy.join(', ')}` : 'expected by no workflow that is deployed or in progress'}</span></p>}
      <textarea aria-label="JSON Schema" rows={10} className="[field-sizing:content] font-mono" readOnly={!own} spellCheck={false} value={text} onChange={(e) => setText(e.target.value)} />
      <div className="flex flex-wrap items-center gap-2">
        {own && <button type="submit" className="primary" disabled={save.isPending || name === ''}>Register</button>}
        <button type="button" onClick={p.onClose}>Close <kbd>Esc</kbd></button>
        {own && <span className="text-sm text-muted">A revision that breaks workflows which expect the type is refused.</span>}
      </div>
      <Failed of={save.error} before="It is not registered. " />
    </form>
  )
}
