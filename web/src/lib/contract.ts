import type { Schemas } from '../api/client'

export type Term = Schemas['DeskTerm']
export type Proof = Schemas['LibraryProof']

/** Sort is a sort of term: how it is called, and the fields that a form has for it, each where it is in the term. */
export type Sort = { name: string; said: string; fields: { at: string[]; name: string; hint: string; number?: boolean }[] }

/** sorts are the sorts of terms that a contract has. */
export const sorts: Sort[] = [
  { name: 'holds', said: 'A condition holds', fields: [{ at: ['holds'], name: 'Condition', hint: 'size(result.text) > 100' }] },
  { name: 'file', said: 'A file is there', fields: [{ at: ['file', 'path'], name: 'Path', hint: 'CHANGELOG.md' }, { at: ['file', 'agent'], name: 'Agent', hint: 'who says it is done' }] },
  { name: 'command', said: 'A command ends with 0', fields: [{ at: ['command', 'run'], name: 'Command', hint: 'go test ./...' }, { at: ['command', 'dir'], name: 'Folder', hint: 'where the agent works' }, { at: ['command', 'agent'], name: 'Agent', hint: 'who says it is done' }] },
  { name: 'record', said: 'A record has a state', fields: [{ at: ['record', 'id'], name: 'Record', hint: `tkt_… or \${ticket.parentTicketId}` }, { at: ['record', 'when'], name: 'When', hint: 'record.status == "DONE"' }] },
  { name: 'number', said: 'A number lies in a range', fields: [{ at: ['number', 'value'], name: 'Value', hint: 'ticket.storyPoints' }, { at: ['number', 'min'], name: 'Least', hint: '', number: true }, { at: ['number', 'max'], name: 'Most', hint: '', number: true }] },
  { name: 'cites', said: 'A text names sources', fields: [{ at: ['cites', 'text'], name: 'Text', hint: `\${result.text}` }, { at: ['cites', 'least'], name: 'Least', hint: '1', number: true }] },
  { name: 'verdict', said: 'Somebody else passes it', fields: [{ at: ['verdict', 'person'], name: 'Person', hint: 'a name' }, { at: ['verdict', 'agent'], name: 'or agent', hint: 'reviewer' }, { at: ['verdict', 'role'], name: 'or role', hint: 'editor' }, { at: ['verdict', 'criteria'], name: 'Look at', hint: 'what counts' }] },
]

/** sortOf is the sort of a term. */
export const sortOf = (t: Term): Sort => sorts.find((s) => (t as { [field: string]: unknown })[s.name] !== undefined) ?? (sorts[0] as Sort)

/** begun is a term of a sort that says nothing yet. */
export const begun = (s: Sort): Term => (s.fields[0]?.at.length === 1 ? { [s.name]: '' } : { [s.name]: {} }) as Term

/** fieldOf is what a term says in a field of its form. */
export function fieldOf(t: Term, at: string[]): string {
  const value = at.reduce<unknown>((v, k) => (typeof v === 'object' && v !== null ? (v as { [field: string]: unknown })[k] : undefined), t)
  return value === undefined || value === null ? '' : String(value)
}

/** withField is a term with something else in a field; an empty text takes the field away. */
export function withField(t: Term, f: Sort['fields'][number], text: string): Term {
  const value = text === '' ? undefined : f.number ? Number(text) : text
  const [head = '', key] = f.at
  if (key === undefined) return { ...t, [head]: text } as Term
  const inner = { ...(t as unknown as { [field: string]: { [field: string]: unknown } })[head] }
  if (value === undefined) delete inner[key]
  else inner[key] = value
  return { ...t, [head]: inner } as Term
}

/** titleOfTerm is what people call a term; evidence names it so, too. */
export function titleOfTerm(t: Term): string {
  if (t.name) return t.name
  if (t.verdict) return `the verdict of ${t.verdict.agent ?? ''}${t.verdict.person ?? ''}${t.verdict.role ?? ''}`
  if (t.cites) return 'sources'
  return t.holds ?? t.command?.run ?? t.number?.value ?? (t.file ? `the file ${t.file.path}` : `the record ${t.record?.id ?? ''}`)
}
