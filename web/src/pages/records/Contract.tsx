import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, must } from '../../api/client'
import { begun, fieldOf, type Proof, sortOf, sorts, type Term, titleOfTerm, withField } from '../../lib/contract'
import { moment } from '../../lib/when'
import { useWho } from '../../lib/who'
import { Agent } from '../../ui/Agent'
import { Failed } from '../../ui/State'
import { Status } from '../../ui/Status'
import { Touched } from '../../ui/Touched'
import type { Rec } from './quick'
import { usePatch } from './usePatch'

/** useProofs is what was found of a ticket's contract, the last first. */
export function useProofs(r: Rec) {
  return useQuery({ queryKey: ['record', r.id, 'evidence'], enabled: r.kind === 'ticket', queryFn: () => must(api.GET('/api/records/{id}/evidence', { params: { path: { id: r.id } } })) })
}

const worth: { [proof: string]: string } = {
  PROVEN: 'The contract was met.', UNPROVEN: 'An agent said that it is done, and the contract was not met.', WAIVED: 'A person closed it without proof.',
}

/** Contract is what done takes: the terms, what was last found of each, and the form in which they are written. */
export function Contract(p: { of: Rec; title: string; last: Proof | undefined; may: boolean; editing: boolean; onEdit: (on: boolean) => void }) {
  const who = useWho()
  const body = p.of.body as { contract?: Term[]; proof?: string; contractBy?: string }
  const terms = body.contract ?? []
  if (p.editing) return <Edit of={p.of} title={p.title} terms={terms} onClose={() => p.onEdit(false)} />
  if (terms.length === 0) return null
  const found = new Map((p.last?.found ?? []).map((f) => [f.condition, f]))
  return (
    <section aria-label="What done takes" className="mb-3 border-l-2 border-line pl-3">
      <p className="m-0! flex flex-wrap items-baseline gap-x-3">
        <span className="text-sm text-accent">What done takes</span>
        {body.proof && <span title={worth[body.proof]}><Status of={body.proof} /></span>}
        <span className="text-sm text-faint">by {(body.contractBy ?? '').split(' ').map(who).join(', ')}</span>
        {p.may && <button type="button" className="plain text-sm text-muted!" onClick={() => p.onEdit(true)}>change <kbd>t</kbd></button>}
      </p>
      <ul className="m-0! list-none! p-0!">
        {terms.map((t, i) => {
          const f = found.get(titleOfTerm(t))
          return (
            <li key={i} className="flex flex-wrap items-baseline gap-x-3">
              <span data-sign={f === undefined ? '○' : f.met ? '✓' : '✗'} className={f === undefined ? 'text-muted' : f.met ? 'text-up' : 'text-danger'}>{titleOfTerm(t)}</span>
              {t.name && <code className="text-sm text-muted">{titleOfTerm({ ...t, name: '' })}</code>}
              {f?.detail && <span className="text-sm text-muted">{f.detail}</span>}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function Edit(p: { of: Rec; title: string; terms: Term[]; onClose: () => void }) {
  const [terms, setTerms] = useState(p.terms.length > 0 ? p.terms : [begun(sorts[0] as (typeof sorts)[number])])
  const patch = usePatch()
  const set = (i: number, t: Term) => setTerms(terms.map((was, k) => (k === i ? t : was)))
  const save = () => patch.mutate({ of: p.of, set: { contract: terms.length > 0 ? terms : null }, said: `Changed what done takes of ${p.title}` }, { onSuccess: p.onClose })
  return (
    <form
      aria-label="What done takes" className="card mb-3 grid gap-2"
      onSubmit={(e) => {
        e.preventDefault()
        save()
      }}
      onKeyDown={(e) => e.key === 'Escape' && p.onClose()}
    >
      <p className="m-0! text-muted">An agent’s word that this is done counts when all of it is true. Conditions read <code>ticket</code> and <code>result.text</code>, what the agent says was done.</p>
      {terms.map((t, i) => (
        <fieldset key={i} className="m-0! flex flex-wrap items-center gap-2 border-0! p-0!" aria-label={`Term ${i + 1}`}>
          <select aria-label="What has to be true" value={sortOf(t).name} onChange={(e) => set(i, { ...(t.name ? { name: t.name } : {}), ...begun(sorts.find((s) => s.name === e.target.value) ?? sortOf(t)) })}>
            {sorts.map((s) => <option key={s.name} value={s.name}>{s.said}</option>)}
          </select>
          {sortOf(t).fields.map((f) => (
            <input key={f.name} aria-label={f.name} placeholder={`${f.name}: ${f.hint}`} type={f.number ? 'number' : 'text'} className={f.number ? 'w-[9ch]' : 'min-w-[14ch] flex-1'} value={fieldOf(t, f.at)} onChange={(e) => set(i, withField(t, f, e.target.value))} />
          ))}
          <input aria-label="Called" placeholder="Called" className="w-[14ch]" value={t.name ?? ''} onChange={(e) => set(i, { ...t, name: e.target.value })} />
          <button type="button" className="px-2 py-0" aria-label={`Remove term ${i + 1}`} onClick={() => setTerms(terms.filter((_, k) => k !== i))}>✗</button>
        </fieldset>
      ))}
      <div className="flex flex-wrap items-center gap-2">
        <button type="submit" className="primary" disabled={patch.isPending}>Save</button>
        <button type="button" onClick={() => setTerms([...terms, begun(sorts[0] as (typeof sorts)[number])])}>Another term</button>
        <button type="button" onClick={p.onClose}>Cancel <kbd>Esc</kbd></button>
      </div>
      <Failed of={patch.error} before="It is not saved. " />
    </form>
  )
}

/** Found is one time that an agent said it was done, on the timeline: what was found, term by term. */
export function Found({ of: e }: { of: Proof }) {
  return (
    <div className="border-l-2 border-agent pl-3">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <Agent name={e.agent ?? ''} /> <span>said that it is done</span> <Status of={e.met ? 'PROVEN' : 'UNPROVEN'} />
        <Link to="/runs/$id" params={{ id: e.run }} className="text-sm">the run</Link>
        <time dateTime={e.at} className="ml-auto shrink-0 text-sm text-faint">{moment(e.at)}</time>
      </div>
      {e.said && <blockquote className="my-1!">{e.said}</blockquote>}
      <ul className="m-0! list-none! p-0!">
        {e.found.map((f, i) => <li key={i}><span data-sign={f.met ? '✓' : '✗'} className={f.met ? 'text-up' : 'text-danger'}>{f.condition}</span> <span className="whitespace-pre-line text-sm text-muted">{f.detail}</span></li>)}
      </ul>
      {e.changed && <Touched of={e.changed} />}
    </div>
  )
}
