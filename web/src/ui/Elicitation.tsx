import type { Schemas } from '../api/client'

type Form = NonNullable<Schemas['ApprovalApproval']['form']>
type Field = NonNullable<Form['fields']>[number]

/** Values are what is filled in of a form, by the names of its fields. */
export type Values = { [name: string]: unknown }

/** defaults are what counts when nothing is filled in. */
export const defaults = (f: Form): Values => Object.fromEntries((f.fields ?? []).flatMap((d) => (d.default === undefined ? [] : [[d.name, d.default]])))

/** missing reports whether a field that has to be filled in is not. */
export const missing = (f: Form, values: Values) => (f.fields ?? []).some((d) => d.required && (values[d.name] === undefined || values[d.name] === ''))

/** kinds are the sorts of inputs for the formats of texts. A browser does not judge addresses: the daemon does. */
const kinds: { [format: string]: string } = { date: 'date' }

function Input({ field, value, onChange }: { field: Field; value: unknown; onChange: (v: unknown) => void }) {
  const label = field.title || field.name
  const options = field.options ?? []
  const given = (v: string) => onChange(v === '' ? undefined : v)
  if (field.type === 'boolean') {
    return (
      <select aria-label={label} value={value === undefined ? '' : String(value)} onChange={(e) => onChange(e.target.value === '' ? undefined : e.target.value === 'true')}>
        <option value="">not said</option><option value="true">yes</option><option value="false">no</option>
      </select>
    )
  }
  if (field.type === 'array') {
    const chosen = Array.isArray(value) ? (value as string[]) : []
    return (
      <span className="flex flex-wrap gap-2">
        {options.map((o) => (
          <label key={o.value} className="flex items-center gap-1">
            <input type="checkbox" checked={chosen.includes(o.value)} onChange={(e) => onChange(e.target.checked ? [...chosen, o.value] : chosen.filter((c) => c !== o.value))} /> {o.title || o.value}
          </label>
        ))}
      </span>
    )
  }
  if (options.length > 0) {
    return (
      <select aria-label={label} value={typeof value === 'string' ? value : ''} onChange={(e) => given(e.target.value)}>
        <option value="">not said</option>
        {options.map((o) => <option key={o.value} value={o.value}>{o.title || o.value}</option>)}
      </select>
    )
  }
  if (field.type === 'number' || field.type === 'integer') {
    return <input aria-label={label} type="number" step={field.type === 'integer' ? 1 : 'any'} value={typeof value === 'number' ? value : ''} onChange={(e) => onChange(e.target.value === '' ? undefined : Number(e.target.value))} />
  }
  return <input aria-label={label} type={kinds[field.format ?? ''] ?? 'text'} autoComplete="off" placeholder={field.format ?? ''} value={typeof value === 'string' ? value : ''} onChange={(e) => given(e.target.value)} />
}

/** Elicitation shows the form of a server of others, in its words as plain text, and takes what is filled in. */
export function Elicitation(p: { form: Form; server: string; values: Values; onChange?: ((v: Values) => void) | undefined }) {
  const fields = p.form.fields ?? []
  return (
    <div className="asked" data-testid="elicitation">
      <p className="muted">In the words of {p.server}, which come from outside. Give it no secrets.</p>
      {p.form.message && <pre className="text-text!">{p.form.message}</pre>}
      {p.onChange && fields.map((d) => (
        <div key={d.name} className="row mb-1!">
          <span>{d.title || d.name}{d.required && ' (has to be filled in)'}</span>
          <Input field={d} value={p.values[d.name]} onChange={(v) => p.onChange?.({ ...p.values, [d.name]: v })} />
          {d.help && <span className="muted">{d.help}</span>}
        </div>
      ))}
    </div>
  )
}
