import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, must, type Schemas } from '../../api/client'
import { useProject } from '../../lib/project'

/** NewChannel connects a platform, or changes the channel of that name. Secrets go one way only. */
export function NewChannel() {
  const queries = useQueryClient()
  const project = useProject()
  const kinds = useQuery({ queryKey: ['channel', 'kinds'], queryFn: () => must(api.GET('/api/channel-kinds')) }).data ?? []
  const [chosen, choose] = useState('')
  const kind = kinds.find((k) => k.kind === chosen) ?? kinds[0]
  const add = useMutation({
    mutationFn: ({ name, body }: { name: string; body: Schemas['ChannelBody'] }) => must(api.PUT('/api/channels/{name}', { params: { path: { name } }, body })),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['channel'] }),
  })
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault()
    if (!kind) return
    const form = e.currentTarget
    const given = new FormData(form)
    const word = (field: string) => String(given.get(field) ?? '').trim()
    const filled = (prefix: string, needs: Schemas['ChannelNeed'][] | null) => Object.fromEntries((needs ?? []).map((n) => [n.name, word(`${prefix}${n.name}`)]).filter(([, v]) => v !== ''))
    const body: Schemas['ChannelBody'] = { kind: kind.kind, secrets: filled('secret.', kind.secrets), settings: filled('set.', kind.settings) }
    if (word('base')) body.base_url = word('base')
    if (word('groups')) body.groups = word('groups') as 'mention'
    if (given.get('project') && project) body.project = project
    add.mutate({ name: word('name'), body }, { onSuccess: () => form.reset() })
  }
  if (!kind) return null
  return (
    <>
      <h3>Add a channel</h3>
      {add.error && <p className="danger" role="alert">{add.error.message}</p>}
      {add.isSuccess && <p role="status">{add.data.id ? `It is kept; we are ${add.data.name || add.data.id} there.` : 'It is kept. Who we are there is not known yet; the list shows how it does.'}</p>}
      <form className="row" autoComplete="off" onSubmit={send}>
        <label>Platform <select aria-label="Platform" value={kind.kind} onChange={(e) => choose(e.target.value)}>{kinds.map((k) => <option key={k.kind}>{k.kind}</option>)}</select></label>
        <label>Name <input name="name" aria-label="Name of the channel" required pattern="[a-z][a-z0-9\-]{0,39}" title="Small letters, digits and hyphens" /></label>
        {(kind.secrets ?? []).map((n) => <label key={n.name} title={n.help}>{n.name} <input name={`secret.${n.name}`} aria-label={`Secret ${n.name}`} type="password" required={!n.optional} autoComplete="new-password" /></label>)}
        {(kind.settings ?? []).map((n) => <label key={n.name} title={n.help}>{n.name} <input name={`set.${n.name}`} aria-label={`Setting ${n.name}`} required={!n.optional} /></label>)}
        <label>Groups <select name="groups" aria-label="Groups"><option value="">by mention</option><option value="always">always</option><option value="never">never</option></select></label>
        <label>Base URL <input name="base" aria-label="Base URL" placeholder="the platform's own" /></label>
        {project && <label><input name="project" type="checkbox" defaultChecked /> in this project</label>}
        <button type="submit" disabled={add.isPending}>Add</button>
      </form>
      <ul className="muted">
        {[...(kind.secrets ?? []), ...(kind.settings ?? [])].map((n) => <li key={n.name}>{n.name}: {n.help}{n.optional && ' (may be left out)'}</li>)}
      </ul>
    </>
  )
}
