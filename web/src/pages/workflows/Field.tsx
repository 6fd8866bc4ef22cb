import { createContext, type ReactNode, useContext, useState } from 'react'
import { empty, read, type Schema, shownAs, takes } from '../../lib/schema'
import { worded } from '../../lib/words'

/** Form is what the fields of one step share: how a property is set, and what the linter found, by the property's path. */
export type Form = { set: (path: string, value: unknown) => void; findings: { path: string; text: string }[]; may: boolean }

export const FormContext = createContext<Form>({ set: () => undefined, findings: [], may: false })

type Of = { schema: Schema; name: string; path: string; value: unknown; needed?: boolean | undefined }

const said = (v: unknown) => (typeof v === 'object' && v !== null && !Array.isArray(v) ? (v as { [name: string]: unknown }) : {})

/** Field edits one property of a step, as its schema says what it takes. What is within is edited within. */
export function Field(p: Of): ReactNode {
  const as = takes(p.schema, p.name)
  if (as === 'fields') return <Fields {...p} />
  if (as === 'list') return <List {...p} />
  return <Leaf {...p} />
}

/** Fields are the properties of an object. The steps within a step have their own place. */
export function Fields({ schema, path, name, value }: Of) {
  const of = said(value)
  return (
    <fieldset className="m-0 min-w-0 border-l border-line pl-2">
      <legend className="sr-only">{worded(name)}</legend>
      {Object.entries(schema.properties ?? {}).filter(([n]) => n !== 'do').map(([n, s]) => <Field key={n} schema={s} name={n} path={`${path}.${n}`} value={of[n]} needed={schema.required?.includes(n)} />)}
      <Found path={path} />
    </fieldset>
  )
}

/** List is a list of objects, each with its fields; one is added at its end. */
function List({ schema, path, name, value }: Of) {
  const { set, may } = useContext(FormContext)
  const all = Array.isArray(value) ? value : []
  const items = schema.items ?? {}
  return (
    <fieldset className="m-0 min-w-0">
      <legend className="text-accent">{worded(name)}</legend>
      {all.map((v, i) => (
        <div key={i} className="mb-1 border border-line px-2 py-1">
          <p className="m-0! flex justify-between text-muted">{i + 1} <button type="button" className="plain text-muted!" disabled={!may} onClick={() => set(`${path}[${i}]`, null)}>Remove {i + 1}</button></p>
          <Fields schema={items} name={`${name} ${i + 1}`} path={`${path}[${i}]`} value={v} />
        </div>
      ))}
      <button type="button" className="px-2 py-0" disabled={!may} onClick={() => (all.length === 0 ? set(path, [empty(items)]) : set(`${path}[${all.length}]`, empty(items)))}>Add to {worded(name).toLowerCase()}</button>
      <Found path={path} />
    </fieldset>
  )
}

/** Found is what the linter found of a property, and with deep of what is within it. */
function Found({ path, deep = false }: { path: string; deep?: boolean }) {
  const { findings } = useContext(FormContext)
  return <>{findings.filter((f) => f.path === path || (deep && /^[.[]/.test(f.path.slice(path.length)) && f.path.startsWith(path))).map((f) => <span key={f.text} className="danger block text-sm" role="alert">{f.text}</span>)}</>
}

/** Leaf is one value: a choice, a mark, a number, a text, or JSON. It is set when the field is left, or by Ctrl Enter. */
function Leaf({ schema, name, path, value, needed = false }: Of) {
  const { set, may } = useContext(FormContext)
  const [typed, setTyped] = useState<string>()
  const [wrong, setWrong] = useState('')
  const as = takes(schema, name)
  const now = shownAs(value, as)
  const label = worded(name)
  const take = (text: string) => {
    const got = read(text, as, schema, needed)
    if ('wrong' in got) return setWrong(got.wrong)
    setWrong('')
    setTyped(undefined)
    if (text !== now) set(path, got.value)
  }
  const common = { 'aria-label': `${label} of ${path}`, 'aria-description': schema.description ?? '', disabled: !may, 'aria-invalid': wrong !== '' ? true : undefined }
  if (as === 'yes') return <label className="my-1 flex items-center gap-2"><input type="checkbox" checked={value === true} disabled={!may} onChange={(e) => set(path, e.target.checked ? true : null)} /> {label} <span className="text-sm text-faint">{schema.description}</span></label>
  const text = { ...common, value: typed ?? now, onChange: (e: { target: { value: string } }) => setTyped(e.target.value), onBlur: () => typed !== undefined && take(typed) }
  const rows = Math.min(14, Math.max(as === 'lines' ? 1 : 2, (typed ?? now).split('\n').reduce((n, l) => n + 1 + Math.floor(l.length / 56), 0)))
  return (
    <div className="my-1">
      <span className="flex flex-wrap items-baseline gap-x-2"><span className="text-accent">{label}{needed && <span className="text-muted"> *</span>}</span> <span className="min-w-0 text-sm text-faint">{schema.description}{as === 'lines' && ' One a line.'}</span></span>
      {as === 'choice' && (
        <select {...common} value={now} onChange={(e) => set(path, e.target.value === '' ? null : e.target.value)}>
          <option value="">—</option>
          {(schema.enum ?? []).map((v) => <option key={String(v)} value={String(v)}>{String(v)}</option>)}
        </select>
      )}
      {(as === 'line' || as === 'number') && <input {...text} className="w-full" inputMode={as === 'number' ? 'decimal' : undefined} onKeyDown={(e) => e.key === 'Enter' && take(typed ?? now)} />}
      {(as === 'text' || as === 'lines' || as === 'value') && <textarea {...text} rows={rows} className="block" onKeyDown={(e) => e.key === 'Enter' && (e.ctrlKey || e.metaKey) && take(typed ?? now)} />}
      {wrong && <span className="danger block text-sm" role="alert">{wrong}</span>}
      <Found path={path} deep />
    </div>
  )
}
