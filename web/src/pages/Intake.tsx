import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { api, must, type Schemas } from '../api/client'
import { takeBackRun } from '../lib/change'
import { spoken } from '../lib/changes'
import { count } from '../lib/count'
import { encode } from '../lib/encode'
import { useMayEdit } from '../lib/moment'
import { useKeys } from '../lib/pane'
import { usePasted } from '../lib/paste'
import { useUnsaved } from '../lib/unsaved'
import { recent } from '../lib/when'
import { phaseNames } from '../lib/words'
import { Differences } from '../ui/Differences'
import { Problems } from '../ui/Problems'
import { Failed, State } from '../ui/State'
import { Status } from '../ui/Status'
import { toast } from '../ui/toast'
import { Import } from './Import'

/** Made links what an intake made to where it is. */
function Made({ of }: { of: Schemas['DeskIntakeBody'] }) {
  const made = Object.entries(of.created ?? {}).filter(([kind, n]) => n > 0 && kind in homes)
  if (made.length === 0) return null
  return <p>Made {made.map(([kind, n], i) => <span key={kind}>{i > 0 && ', '}<Link to={homes[kind]}>{count(n, spoken(kind))}</Link></span>)}</p>
}

/** homes are the views in which records are. */
const homes: { [kind: string]: string } = { ticket: '/tickets', thread: '/threads', objective: '/objectives', resource: '/people', blindspot: '/blindspots', milestone: '/plan', phase: '/plan', idea: '/ideas', link: '/links', reminder: '/reminders', checklist: '/checklists' }

/** Intake takes pasted text and files in and shows the phases as they go. */
export function Intake({ project }: { project: string }) {
  const [text, setText] = useState('')
  useUnsaved(text.trim() !== '')
  usePasted(setText)
  const field = useRef<HTMLTextAreaElement>(null)
  useKeys([{ key: 'n', does: 'write or paste notes', act: () => field.current?.focus() }])
  const [files, setFiles] = useState<File[]>([])
  const [looking, setLooking] = useState(false)
  const list = useQuery({
    queryKey: ['intake', project],
    queryFn: () => must(api.GET('/api/projects/{project}/intakes', { params: { path: { project }, query: { newest: true, limit: 20 } } })),
  })
  const submit = useMutation({
    mutationFn: async () => must(api.POST('/api/intake', { body: { projectId: project, content: text, files: await Promise.all(files.map(encode)) } as never })),
    onSuccess: () => {
      setText('')
      setFiles([])
      void list.refetch()
    },
  })
  const only = text.trim() === '' && files.length === 1 ? files[0] : undefined
  const add = (more: File[]) => setFiles((f) => [...f, ...more])
  const send = () => (text.trim() !== '' || files.length > 0) && !submit.isPending && submit.mutate()
  return (
    <section>
      <h2>Intake</h2>
      <fieldset
        className="drop"
        aria-label="Content to import"
        onDragOver={(e) => e.preventDefault()}
        onDrop={(e) => {
          e.preventDefault()
          add([...e.dataTransfer.files])
        }}
      >
        <textarea
          ref={field}
          aria-label="Paste notes"
          placeholder="n   Paste minutes, notes or rows here, or drop up to 20 files: exports, minutes, mails, documents, or a zip of them."
          value={text}
          rows={10}
          onChange={(e) => setText(e.target.value)}
          onKeyDown={(e) => e.key === 'Enter' && (e.ctrlKey || e.metaKey) && send()}
        />
        <div className="row">
          <label className="file">
            Choose files
            <input
              type="file"
              multiple
              aria-label="Files"
              onChange={(e) => {
                add([...(e.target.files ?? [])])
                e.target.value = '' // so that the same file can be chosen again
              }}
            />
          </label>
          {files.map((f, i) => (
            <button type="button" key={i} className="chip" aria-label={`Leave out ${f.name}`} onClick={() => setFiles(files.filter((g) => g !== f))}>{f.name} ×</button>
          ))}
          {only && <button type="button" onClick={() => setLooking(true)} disabled={looking}>Preview</button>}
          {!looking && <button type="button" className="primary" onClick={send} disabled={submit.isPending}>{submit.isPending ? 'Importing…' : 'Import'}</button>}
        </div>
      </fieldset>
      {looking && only && (
        <Import
          project={project}
          file={only}
          onLeave={() => setLooking(false)}
          onDone={() => {
            setLooking(false)
            setFiles([])
            void list.refetch()
          }}
        />
      )}
      {submit.error && <p className="danger" role="alert">{submit.error.message}</p>}
      {submit.data?.again && <p className="muted" role="status">The same content was imported before; nothing was added.</p>}
      <State pending={list.isPending} error={list.error} empty={list.data?.items?.length === 0} hint="Nothing has been imported yet. Paste the minutes of a meeting above.">
        {(list.data?.items ?? []).map((r) => <IntakeCard key={r.id} record={r} />)}
      </State>
    </section>
  )
}

function IntakeCard(p: { record: Schemas['RecordOfIntakeBody'] }) {
  const { body } = p.record
  const queries = useQueryClient()
  const may = useMayEdit()
  const models = useQuery({ queryKey: ['model', 'list'], queryFn: () => must(api.GET('/api/models')), enabled: body.rulesOnly === true })
  const undo = useMutation({ mutationFn: (run: string) => takeBackRun(run), onSuccess: () => toast(`Took back what ${body.title} made`), onSettled: () => queries.invalidateQueries() })
  const retry = useMutation({
    mutationFn: () => must(api.POST('/api/projects/{project}/intakes/{id}/retry', { params: { path: { project: p.record.projectId, id: p.record.id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['intake'] }),
  })
  return (
    <article className="card" data-status={body.status}>
      <header>
        <strong>{body.title}</strong> <time dateTime={p.record.createdAt} className="text-muted">{recent(p.record.createdAt)}</time> <Status of={body.status} />
        {body.rulesOnly && <span className="chip">rules only, no model</span>}
        {may && (body.status === 'FAILED' || (body.status === 'DISPATCHED' && body.rulesOnly && (models.data ?? []).length > 0)) && (
          <button type="button" className="ml-2 px-2 py-0" disabled={retry.isPending} aria-label={`${body.rulesOnly ? 'Retry with a model' : 'Retry'}: ${body.title}`} onClick={() => retry.mutate()}>{body.rulesOnly ? 'Retry with a model' : 'Retry'}</button>
        )}
        {may && body.status === 'DISPATCHED' && body.runId && <button type="button" className="ml-2 px-2 py-0" disabled={undo.isPending} aria-label={`Undo the import of ${body.title}`} onClick={() => undo.mutate(body.runId ?? '')}>Undo</button>}
        <Failed of={undo.error} />
        {retry.error && <span className="danger" role="alert"> {retry.error.message}</span>}
      </header>
      {body.status !== 'TAKEN_BACK' && <Made of={body} />}
      <ol className="phases">
        {(body.phases ?? []).map((ph) => (
          <li key={ph.name} className={ph.status}>
            <b>{phaseNames[ph.name] ?? ph.name}</b> <Status of={ph.status} /> {ph.by && <span className="text-faint">by {ph.by}</span>} <span className="muted">{ph.summary}</span>
          </li>
        ))}
      </ol>
      <Problems of={body.problems} />
      {body.changed && <Changed project={p.record.projectId} intake={p.record.id} />}
    </article>
  )
}

/** Changed tells what an intake brought up to date. */
function Changed(p: { project: string; intake: string }) {
  const q = useQuery({
    queryKey: ['reconciliation', p.project, p.intake],
    queryFn: () => must(api.GET('/api/projects/{project}/reconciliations', { params: { path: { project: p.project }, query: { refersTo: p.intake } } })),
  })
  const all = (q.data?.items ?? []).map((r) => r.body)
  return (
    <Differences
      of={all.flatMap((b) => (b.conflicts ?? []).map((c) => ({ ticket: c.ticketId, title: c.title ?? '', field: c.field, before: c.ticketValue, after: c.sourceValue })))}
      left={all.reduce((n, b) => n + (b.leftOut ?? 0), 0)}
    />
  )
}
