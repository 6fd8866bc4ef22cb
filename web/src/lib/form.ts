/** Field is a field of a record that people edit: its name in the API, and what it takes. of is the kind of records that it names. */
export type Field = { name: string; takes: 'text' | 'area' | 'number' | 'date' | 'list' | 'moment' | 'check' | 'choice' | 'record' | 'records'; choices?: string[]; of?: string }

/** Values are what the fields of a form say: always texts, of a list one line each. */
export type Values = { [field: string]: string }

type Edited = { body: unknown; owner?: string | undefined }

/** valuesOf are the fields of a record as a form says them. The owner of a ticket stands beside its body. */
export function valuesOf(fields: Field[], record: Edited): Values {
  const body = record.body as { [field: string]: unknown }
  return Object.fromEntries(fields.map((f) => {
    const value = f.name === 'owner' && body.owner === undefined ? record.owner : body[f.name]
    return [f.name, Array.isArray(value) ? value.join('\n') : value === undefined || value === null ? '' : String(value)]
  }))
}

/** patchOf is the merge patch that makes `now` of `before`; an empty field is cleared. */
export function patchOf(fields: Field[], now: Values, before: Values): { [field: string]: unknown } {
  const patch: { [field: string]: unknown } = {}
  for (const f of fields) {
    const value = (now[f.name] ?? '').trim()
    if (value === (before[f.name] ?? '').trim()) continue
    if (value === '') patch[f.name] = null
    else if (f.takes === 'number') patch[f.name] = Number(value)
    else if (f.takes === 'check') patch[f.name] = value === 'true'
    else if (f.takes === 'list' || f.takes === 'records') patch[f.name] = value.split('\n').map((l) => l.trim()).filter(Boolean)
    else patch[f.name] = value
  }
  return patch
}
