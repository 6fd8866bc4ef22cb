import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, must, type Schemas } from '../api/client'
import { count } from '../lib/count'
import { encode } from '../lib/encode'
import { Differences } from '../ui/Differences'
import { Problems } from '../ui/Problems'
import { State } from '../ui/State'
import { Table } from '../ui/Table'

type Mapping = Record<string, string>

/** Import shows what a file would create and change, lets its columns be corrected, and imports it. */
export function Import(p: { project: string; file: File; onDone: () => void; onLeave: () => void }) {
  const [mapping, setMapping] = useState<Mapping>()
  const look = useQuery({
    queryKey: ['import', p.project, p.file.name, p.file.size, p.file.lastModified, mapping],
    queryFn: async () => must(api.POST('/api/intake/preview', { body: { projectId: p.project, file: await encode(p.file), ...(mapping && { mapping }) } as never })),
    placeholderData: (last) => last,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const apply = useMutation({
    mutationFn: async () => must(api.POST('/api/intake', { body: { projectId: p.project, files: [await encode(p.file)], ...(mapping && { mapping }) } as never })),
    onSuccess: p.onDone,
  })
  const tables = look.data?.tables ?? []
  return (
    <section className="card" aria-label={`Preview of ${p.file.name}`}>
      <h3>Preview of {p.file.name}</h3>
      <State pending={look.isPending} error={look.error}>
        {tables.map((t, i) => <Sheet key={i} table={t} fields={look.data?.fields ?? []} onMap={setMapping} />)}
        {look.data && tables.length === 0 && <p className="muted">There is no table in it; it can be imported as text.</p>}
        {look.data?.absent.text && <p className="muted" data-testid="absent">{look.data.absent.text}</p>}
        <Problems of={look.data?.problems} />
      </State>
      {apply.error && <p className="danger" role="alert">{apply.error.message}</p>}
      <div className="row">
        <button type="button" onClick={() => apply.mutate()} disabled={apply.isPending || look.isFetching}>{apply.isPending ? 'Importing…' : 'Import'}</button>
        <button type="button" onClick={p.onLeave}>Back</button>
        <span className="muted">{mapping ? 'The project remembers the columns for files that have the same.' : ''}</span>
      </div>
    </section>
  )
}

/** Sheet is one table of the file: how its columns are read, and what would change. */
function Sheet(p: { table: Schemas['IntakeTablePreview']; fields: string[]; onMap: (m: Mapping) => void }) {
  const t = p.table
  const people = t.source === 'roster'
  const columns = [...new Set((t.columns ?? []).filter((c) => c.trim() !== ''))]
  return (
    <>
      <p>
        <b>{[t.document, t.sheet].filter(Boolean).join(', ')}</b> <span className="chip">{t.known ? t.source : 'not known as an export'}</span>{' '}
        {t.known && <span data-testid="counts">{people ? `${t.new} new ${t.new === 1 ? 'person' : 'people'}` : count(t.new, 'new ticket')}, {t.changed} changed, {t.same} as they are</span>}
      </p>
      {people && <p>Read as people: {Object.entries(t.mapping ?? {}).map(([f, c]) => `${f} from “${c}”`).join(', ')}. Choose a column of the titles to read it as tickets.</p>}
      <fieldset className="mapping" aria-label="Columns">
        {p.fields.filter((f) => !people || f === 'title').map((f) => (
          <label key={f}>
            {f}
            <select
              aria-label={`Column of ${f}`}
              value={(!people && t.mapping?.[f]) || ''}
              onChange={(e) => p.onMap({ ...(!people && t.mapping), [f]: e.target.value })}
            >
              <option value="">no column</option>
              {columns.map((c) => <option key={c}>{c.trim()}</option>)}
            </select>
          </label>
        ))}
      </fieldset>
      {t.known && (t.unread ?? []).length > 0 && <p data-testid="unread">Not read: {(t.unread ?? []).slice(0, 12).join(', ')}{(t.unread ?? []).length > 12 && ` and ${(t.unread ?? []).length - 12} more`}</p>}
      <Problems of={t.problems} />
      {(t.sample ?? []).length > 0 && (
        <Table
          heads={people ? ['Line', 'Name', 'Role'] : ['Line', 'Key', 'Title', 'Status', 'Points', 'Owner', 'Due']}
          rows={(t.sample ?? []).map((s) => ({ key: String(s.line), cells: people ? [s.line, s.title, s.role] : [s.line, s.ref, s.title, s.status, s.storyPoints, s.owner, s.dueDate] }))}
        />
      )}
      <Differences
        of={(t.differs ?? []).flatMap((d) => (d.fields ?? []).map((f) => ({ ticket: d.id, title: [d.ref, d.title].filter(Boolean).join(' '), field: f.field, before: f.before, after: f.after })))}
        left={people ? 0 : t.changed - t.earlier - (t.differs ?? []).length}
      />
    </>
  )
}
