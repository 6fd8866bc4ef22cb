import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import type { Draft, Operation } from '../../lib/drafted'
import { Icon } from '../../ui/Icon'
import { State } from '../../ui/State'
import { Field, FormContext } from './Field'
import { schemaQuery } from './StepForm'

/** fields are the properties of a workflow that have a field; what it does are its steps. */
const fields = ['name', 'description', 'examples', 'inputs', 'triggers', 'budget']

/** AboutForm edits what a draft says of the workflow itself: what it takes, what begins it, what it may cost. */
export function AboutForm(p: { of: Draft; may: boolean; wrong: string; onEdit: (operations: Operation[]) => void; onClose: () => void }) {
  const q = useQuery(schemaQuery)
  const { of, onEdit } = p
  const box = useRef<HTMLElement>(null)
  useEffect(() => void box.current?.focus(), [])
  const about = (typeof of.graph.about === 'object' && of.graph.about !== null ? of.graph.about : {}) as { [name: string]: unknown }
  const form = useMemo(() => ({
    may: p.may, findings: of.graph.findings.map((f) => ({ path: f.path ?? '', text: f.text })),
    set: (path: string, value: unknown) => onEdit([{ op: 'update_property', path, value }]),
  }), [of, p.may, onEdit])
  const properties = q.data?.properties ?? {}
  return (
    <aside ref={box} tabIndex={-1} aria-label="The workflow" className="min-h-0 min-w-0 overflow-y-auto border border-line bg-panel px-3 py-2 outline-none!">
      <h3 className="m-0! flex items-baseline gap-2"><span className="min-w-0 flex-1 text-strong">{of.slug}</span><button type="button" className="plain self-center" aria-label="Close the workflow" onClick={p.onClose}><Icon of="close" /></button></h3>
      <p className="m-0! text-muted">What it takes, what begins it, and what it may cost.</p>
      {p.wrong && <p className="danger" role="alert">{p.wrong}</p>}
      <State pending={q.isPending} error={q.error}>
        <FormContext value={form}>{fields.filter((n) => properties[n]).map((n) => <Field key={n} schema={properties[n] ?? {}} name={n} path={n} value={about[n]} />)}</FormContext>
      </State>
    </aside>
  )
}
