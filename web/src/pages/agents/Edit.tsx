import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, must, Problem } from '../../api/client'
import { changed, formOf, patchOf } from '../../lib/agentform'
import { type Agent, agentName } from '../../lib/agents'
import { useMay } from '../../lib/me'
import { useUnsaved } from '../../lib/unsaved'
import { Avatar } from '../../ui/Avatar'
import { Presence } from '../../ui/Presence'
import { Conduct, elsewhere, Used, useLimits } from './AgentCard'
import { Unasked } from './Unasked'
import { Fields } from './Fields'
import { Try } from './Try'

/**
 * Edit changes an agent, and asks it something beside that. When somebody changed it meanwhile, what
 * they changed is named, and nothing is overwritten without another look.
 */
export function Edit({ agent, onBack }: { agent: Agent; onBack: () => void }) {
  const queries = useQueryClient()
  const may = useMay('admin')
  const name = agentName(agent)
  const limits = useLimits(name)
  const [began, setBegan] = useState(agent) // as it was when the editing began
  const [form, setForm] = useState(formOf(agent))
  const theirs = agent.version === began.version ? [] : changed(formOf(agent), formOf(began))
  const mine = changed(form, formOf(began))
  useUnsaved(mine.length > 0)
  const again = { onSettled: () => queries.invalidateQueries({ queryKey: ['agent'] }) }
  const params = (version: number) => ({ params: { path: { id: name }, header: { 'If-Match': version } } })
  const take = (a: Agent) => {
    setBegan(a)
    setForm(formOf(a))
  }
  const save = useMutation({
    mutationFn: (seen: number) => must(api.PATCH('/api/agents/{id}', { ...params(seen), body: patchOf(form, formOf(began)) as never })),
    onSuccess: (now) => take({ ...agent, ...now }),
    ...again,
  })
  const turn = useMutation({
    mutationFn: (enabled: boolean) => must(api.PATCH('/api/agents/{id}', { ...params(agent.version), body: { enabled } as never })),
    onSuccess: (now) => {
      setBegan({ ...began, version: now.version, enabled: now.enabled })
      setForm({ ...form, enabled: now.enabled })
    },
    ...again,
  })
  const remove = useMutation({ mutationFn: () => must(api.DELETE('/api/agents/{id}', { params: { path: { id: name } } })), onSuccess: onBack, ...again })
  const conflict = (save.error instanceof Problem && save.error.status === 409) || theirs.length > 0
  const wrong = (conflict ? null : save.error) ?? turn.error ?? remove.error
  return (
    <section className="@container absolute inset-0">
      <div className="flex h-full flex-col overflow-y-auto @4xl:flex-row @4xl:overflow-hidden">
      <div className="flex min-w-0 shrink-0 flex-col @4xl:min-h-0 @4xl:flex-[3]">
        <div className="flex flex-wrap items-center gap-3 border-b border-line px-3 py-2">
          <button type="button" className="plain px-1!" onClick={onBack} aria-label="All agents">‹</button>
          <Avatar name={name} agent small />
          <h2 className="m-0! min-w-0 flex-1 truncate">{name} <Presence of={agent.presence} word /></h2>
          {may && <button type="button" className="px-2 py-0" disabled={turn.isPending} onClick={() => turn.mutate(!agent.enabled)}>{agent.enabled ? 'Disable' : 'Enable'}</button>}
          {may && !agent.enabled && <button type="button" className="px-2 py-0 text-danger!" disabled={remove.isPending} onClick={() => confirm(`Delete the agent ${name}, and its schedules with it?`) && remove.mutate()}>Delete</button>}
        </div>
        <form aria-label={`Agent ${name}`} className="flex min-h-0 flex-1 flex-col" onSubmit={(e) => {
          e.preventDefault()
          save.mutate(began.version)
        }}>
          <div className="px-3 py-3 @4xl:min-h-0 @4xl:flex-1 @4xl:overflow-y-auto">
            {limits.length > 0 && <div className="mb-3 grid gap-1">{limits.map((b) => <Used key={b.id} of={b} />)}</div>}
            {agent.card.endpoints && <p className="mt-0! text-muted">{name} {elsewhere(agent)}. It has no model and no tools of ours. The view Doors has its server.</p>}
            <Conduct agent={name} />
            <Unasked agent={name} />
            <Fields of={form} onChange={setForm} may={may} />
          </div>
          {may && (
            <div className="sticky bottom-0 z-1 border-t border-line bg-bg px-3 py-2">
              {wrong && <p className="mt-0! danger" role="alert">{wrong.message}</p>}
              {conflict && (
                <div className="mb-2 border-l-2 border-warn pl-3" role="alert">
                  <p className="m-0! text-warn">{name} was changed meanwhile{theirs.length > 0 && `: ${theirs.join(', ')}`}. {mine.length > 0 ? `You changed: ${mine.join(', ')}.` : ''}</p>
                  <div className="row my-1!">
                    <button type="button" className="px-2 py-0" onClick={() => {
                      save.reset()
                      take(agent)
                    }}>Take theirs</button>
                    {mine.length > 0 && <button type="button" className="px-2 py-0" onClick={() => save.mutate(agent.version)}>Save mine on top</button>}
                  </div>
                </div>
              )}
              <div className="row my-0!">
                <button type="submit" disabled={mine.length === 0 || save.isPending || theirs.length > 0}>Save</button>
                {mine.length > 0 && <button type="button" onClick={() => take(began)}>Undo</button>}
                <span className="text-muted">{mine.length > 0 ? `changed: ${mine.join(', ')}` : save.isSuccess ? 'saved' : ''}</span>
              </div>
            </div>
          )}
        </form>
      </div>
      <div className="flex h-128 min-w-0 shrink-0 flex-col border-t border-line @4xl:h-auto @4xl:min-h-0 @4xl:flex-[2] @4xl:border-t-0 @4xl:border-l"><Try agent={name} enabled={agent.enabled} unsaved={mine.length > 0} /></div>
      </div>
    </section>
  )
}
