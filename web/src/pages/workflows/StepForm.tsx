import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { api, must } from '../../api/client'
import type { DraftNode, Operation } from '../../lib/drafted'
import type { Schema } from '../../lib/schema'
import { Icon } from '../../ui/Icon'
import { State } from '../../ui/State'
import { Field, FormContext } from './Field'
import { kindOf } from './kinds'

/** judged are the parts of a step that say how it counts; they are folded while nothing is in them. */
const judged = ['review', 'contract', 'retry', 'timeout', 'compensate', 'expects']

/** schemaQuery asks for the JSON Schema of workflow files. */
export const schemaQuery = { queryKey: ['workflow schema'], queryFn: () => must(api.GET('/api/workflows/schema')) as Promise<unknown> as Promise<Schema>, staleTime: Number.POSITIVE_INFINITY }

/** head is the property of a step that a path begins with. */
const head = (path = '') => /^[^.[]*/.exec(path)?.[0] ?? ''

/** StepForm edits the properties of a step of a draft, in fields that its JSON Schema gives. */
export function StepForm(p: { of: DraftNode; may: boolean; wrong: string; onEdit: (operations: Operation[]) => void; onDelete: () => void; onClose: () => void; onRename: (id: string) => void }) {
  const q = useQuery(schemaQuery)
  const { of, onEdit } = p
  const box = useRef<HTMLElement>(null)
  useEffect(() => void box.current?.focus(), [])
  const step = (typeof of.step === 'object' && of.step !== null ? of.step : {}) as { [name: string]: unknown }
  const form = useMemo(() => ({
    may: p.may, findings: of.findings.map((f) => ({ path: f.path ?? '', text: f.text })),
    set: (path: string, value: unknown) => onEdit([{ op: 'update_property', node: of.path, path, value }]),
  }), [of, p.may, onEdit])
  const properties = q.data?.$defs?.step?.properties ?? {}
  const { sign, colour, is } = kindOf(of.kind)
  const shown = [of.kind, 'title', 'when'].filter((n) => properties[n])
  const fielded = [...shown, ...judged]
  const rest = (name: string) => <Field key={name} schema={properties[name] ?? {}} name={name} path={name} value={step[name]} />
  return (
    <aside ref={box} tabIndex={-1} aria-label={`Step ${of.path}`} className="min-h-0 min-w-0 overflow-y-auto border border-line bg-panel px-3 py-2 outline-none!">
      <h3 className="m-0! flex items-baseline gap-2">
        <span aria-hidden="true" className={colour}>{sign}</span>
        <span className="min-w-0 flex-1 text-strong">{of.title || of.id}</span>
        <button type="button" className="plain self-center" aria-label="Close the step" onClick={p.onClose}><Icon of="close" /></button>
      </h3>
      <p className="m-0! text-muted">{is}, line {of.line}.</p>
      {p.wrong && <p className="danger" role="alert">{p.wrong}</p>}
      {of.findings.filter((f) => !fielded.includes(head(f.path))).map((f) => <p key={f.text} className="danger" role="alert">{f.text}</p>)}
      <State pending={q.isPending} error={q.error}>
        <FormContext value={form}>
          <Named key={of.id} id={of.id} may={p.may} onRename={p.onRename} />
          {shown.map(rest)}
          {judged.filter((n) => properties[n]).map((n) => <details key={`${of.path} ${n}`} open={step[n] !== undefined || of.findings.some((f) => head(f.path) === n)} className="my-1"><summary className="cursor-pointer text-muted">{n}{of.findings.some((f) => head(f.path) === n) && <span className="danger" data-sign="✗"> wrong</span>}</summary>{rest(n)}</details>)}
        </FormContext>
        {p.may && <p className="row"><button type="button" className="danger px-2 py-0" onClick={p.onDelete}>Delete the step <kbd>Del</kbd></button></p>}
      </State>
    </aside>
  )
}

/** Named is the id of a step; another one renames it wherever it is read. */
function Named({ id, may, onRename }: { id: string; may: boolean; onRename: (id: string) => void }) {
  return (
    <form className="my-1" onSubmit={(e) => { e.preventDefault(); const to = String(new FormData(e.currentTarget).get('id')).trim(); if (to !== id) onRename(to) }}>
      <label className="block"><span className="text-accent">Id</span> <span className="text-sm text-faint">Other steps and expressions name it so; they follow when it is renamed by Enter.</span>
        <input name="id" className="w-full" defaultValue={id} disabled={!may} />
      </label>
    </form>
  )
}
