import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, must, type Schemas } from '../../api/client'
import { takeFocus } from '../../lib/focus'
import { useProject } from '../../lib/project'
import { worded } from '../../lib/words'
import { State } from '../../ui/State'
import { toast } from '../../ui/toast'
import { Field } from '../NewProvider'
import { inOrder, Platforms, platform } from './Platforms'

/** usual are what may be left out, but is needed as most set the platform up. */
const usual = ['slack app_token']

/** NewChannel connects a platform, or changes the channel of that name. What is needed comes first, the rest is folded. Secrets go one way only. */
export function NewChannel(p: { onClose?: () => void }) {
  const queries = useQueryClient()
  const project = useProject()
  const asked = useQuery({ queryKey: ['channel', 'kinds'], queryFn: () => must(api.GET('/api/channel-kinds')) })
  const kinds = inOrder(asked.data ?? [])
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
    add.mutate({ name: word('name'), body }, {
      onSuccess: (out) => {
        form.reset()
        toast(out.id ? `Added ${word('name')}: the bot is ${out.name || out.id}` : 'Added. The list shows when it is connected.')
        p.onClose?.()
      },
    })
  }
  if (!kind) return <State pending={asked.isPending} error={asked.error}>{null}</State>
  const field = (prefix: 'secret' | 'set', n: Schemas['ChannelNeed']) => (
    <Field key={n.name} name={worded(n.name)} hint={n.help}>
      {prefix === 'secret'
        ? <input name={`secret.${n.name}`} aria-label={`Secret ${n.name}`} type="password" required={!n.optional} autoComplete="new-password" />
        : <input name={`set.${n.name}`} aria-label={`Setting ${n.name}`} required={!n.optional} />}
    </Field>
  )
  const needed = (n: Schemas['ChannelNeed']) => !n.optional || usual.includes(`${kind.kind} ${n.name}`)
  const fields = (first: boolean) => [
    ...(kind.secrets ?? []).filter((n) => needed(n) === first).map((n) => field('secret', n)),
    ...(kind.settings ?? []).filter((n) => needed(n) === first).map((n) => field('set', n)),
  ]
  return (
    <>
      <form key={kind.kind} className="card" aria-label="Channel" autoComplete="off" onSubmit={send}>
        {add.error && <p className="danger" role="alert">{add.error.message}</p>}
        <div className="grid gap-3 @3xl:grid-cols-3">
          <Field name="Platform"><select data-first {...(p.onClose && { ref: takeFocus })} aria-label="Platform" value={kind.kind} onChange={(e) => choose(e.target.value)}>{kinds.map((k) => <option key={k.kind} value={k.kind}>{platform(k.kind)}</option>)}</select></Field>
          <Field name="Name" hint="small letters, digits and hyphens, such as team"><input name="name" aria-label="Name of the channel" required defaultValue={kind.kind} pattern="[a-z][a-z0-9\-]{0,39}" /></Field>
          {fields(true)}
        </div>
        <details className="my-2">
          <summary className="cursor-pointer text-muted">More: groups, address, what may be left out</summary>
          <div className="mt-2 grid gap-3 @3xl:grid-cols-3">
            <Field name="Answers in groups"><select name="groups" aria-label="Groups"><option value="">when mentioned</option><option value="always">always</option><option value="never">never</option></select></Field>
            <Field name="Address" hint="empty for the platform’s own"><input name="base" aria-label="Base URL" /></Field>
            {fields(false)}
          </div>
        </details>
        <div className="row mb-0!">
          <button type="submit" className="primary" disabled={add.isPending}>Add</button>
          {p.onClose && <button type="button" onClick={p.onClose}>Cancel</button>}
          {project && <label><input name="project" type="checkbox" defaultChecked /> for this project</label>}
        </div>
      </form>
      <Platforms of={kinds} chosen={kind.kind} onChoose={choose} />
    </>
  )
}
