import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api, type Schemas } from '../../api/client'
import { Timed } from '../../frame/Timed'
import { change } from '../../lib/change'
import { spoken } from '../../lib/changes'
import { useReturn } from '../../lib/focus'
import { eventsOf, type Happened, timeline } from '../../lib/happened'
import { kinds } from '../../lib/kinds.gen'
import { useMayEdit, useMoment } from '../../lib/moment'
import { titleOf } from '../../lib/order'
import { useKeys } from '../../lib/pane'
import { useProject } from '../../lib/project'
import { useRows } from '../../lib/rows'
import { day, moment } from '../../lib/when'
import { useWho } from '../../lib/who'
import { Differences } from '../../ui/Differences'
import { LineForm } from '../../ui/LineForm'
import { Failed, State } from '../../ui/State'
import { ViewHead } from '../../ui/ViewHead'
import { Beside } from './Beside'
import { Around, useComments, useHistory, useRecord, useReferences } from './Around'
import { Contract, useProofs } from './Contract'
import { Delegate, Delegated } from './Delegate'
import { EditRecord } from './EditRecord'
import { Facts } from './Facts'
import { Link } from './Link'
import { longOf, type Rec } from './quick'
import { relationsOf } from './relations'
import { Rest } from './Rest'
import { Say } from './Say'
import { Timeline, usual } from './Timeline'
import { Words } from './Words'

type Body = { [field: string]: unknown; sources?: Schemas['DeskSource'][]; evidence?: Schemas['DeskEvidence'][]; conflicts?: Schemas['DeskDiscord'][] }

/** Record is a page to work in: any record by its id, with what became of it, what was said of it and what is around it. */
export function Record() {
  const { id } = useParams({ strict: false }) as { id: string }
  const chosen = useProject()
  const q = useRecord(id)
  return (
    <Timed project={q.data?.projectId || chosen} of={id}>
      <section>
        {!q.data && <h2>Record <code>{id}</code></h2>}
        <State pending={q.isPending} error={q.error}>{q.data && <Known key={id} record={q.data} />}</State>
      </section>
    </Timed>
  )
}

/** useUndo takes one change of a record back, or those that an agent made of it in one run, the last first. */
function useUndo(title: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (h: Happened) => {
      const events = eventsOf(h)
      for (const [i, event] of events.entries()) {
        const out = await change(i === events.length - 1 ? `Took a change of ${title} back` : '', api.POST('/api/undo', { body: { event } }))
        const kept = out.kept?.[0]
        if (kept) throw new Error(`It stays as it is: ${kept.reason}`)
      }
    },
    onSettled: () => queries.invalidateQueries(),
  })
}

/** open is what is open on the page of a record: all fields, its text, a link, a new sub-item, what done takes, the agents to whom it may be handed. */
type Open = '' | 'fields' | 'words' | 'link' | 'item' | 'contract' | 'agent'

function Known({ record: r }: { record: Rec }) {
  const navigate = useNavigate()
  const { go } = useMoment()
  const may = useMayEdit() && kinds[r.kind] !== undefined && !r.mergedInto
  const [open, setOpen] = useState<Open>('')
  const [every, setEvery] = useState(false)
  const [reply, setReply] = useState<{ id: string; to: string }>()
  const body = r.body as Body
  const title = titleOf(body) || spoken(r.kind)
  const long = longOf(r.kind)
  const references = useReferences(r.id)
  const history = useHistory(r.id)
  const comments = useComments(r.projectId, r.id)
  const proved = useProofs(r)
  const proofs = proved.data ?? []
  const happened = timeline(history.all, comments.data?.items ?? [], proofs)
  const relations = relationsOf(references.data?.refersTo ?? [], references.data?.referredBy ?? [])
  const undo = useUndo(title)
  const follow = (key: string) => {
    const [what, id = ''] = key.split(' ')
    const at = happened.find((h) => h.key === key)
    if (what === 'by') void navigate({ to: '/records/$id', params: { id } } as never)
    else if (what === 'run') void navigate({ to: '/runs/$id', params: { id } } as never)
    else if (at?.kind === 'change') go({ asOf: at.at })
    else if (at?.kind === 'comment') setReply({ id: at.comment.id, to: '' })
  }
  const { at, row } = useRows(
    [...(every ? happened : happened.slice(0, usual)).map((h) => h.key), ...relations.flatMap((g) => g.of.map((m) => `by ${m.id}`))],
    { Enter: { does: 'open it, or show the record as it was then', act: follow } },
  )
  const chosen = happened.find((h) => h.key === at)
  const back = useReturn()
  useKeys([
    ...(may ? [{ key: 'E', does: 'edit all fields', act: () => setOpen('fields') }] : []),
    ...(may && r.kind === 'ticket' ? [{ key: 'l', does: 'link it with another record', act: () => setOpen('link') }, { key: 'n', does: 'add a sub-item', act: () => (open === 'item' ? back() : setOpen('item')) }, { key: 't', does: 'say what done takes', act: () => setOpen('contract') }, { key: 'h', does: 'hand it to an agent', act: () => setOpen('agent') }] : []),
    ...(may && chosen && eventsOf(chosen).length > 0 ? [{ key: 'u', does: 'take the chosen change back', act: () => undo.mutate(chosen) }] : []),
  ])
  return (
    <>
      <ViewHead
        title={<>{body.externalRef ? <span className="font-normal text-accent">{String(body.externalRef)} </span> : null}{title}</>}
        primary={may && open !== 'fields' && open !== 'words' && { name: 'Edit', key: 'e', act: () => setOpen(long ? 'words' : 'fields') }}
      >
        <span className="text-muted">{spoken(r.kind)}{r.mergedInto && <> merged into {r.mergedInto}</>}</span>
        {may && <button type="button" className="plain text-sm text-muted!" onClick={() => setOpen('fields')}>all fields <kbd>E</kbd></button>}
        {may && r.kind === 'ticket' && <><button type="button" className="plain text-sm text-muted!" onClick={() => setOpen('link')}>link <kbd>l</kbd></button><button type="button" className="plain text-sm text-muted!" onClick={() => setOpen('item')}>sub-item <kbd>n</kbd></button><button type="button" className="plain text-sm text-muted!" onClick={() => setOpen('contract')}>contract <kbd>t</kbd></button><button type="button" className="plain text-sm text-muted!" onClick={() => setOpen('agent')}>hand to an agent <kbd>h</kbd></button></>}
      </ViewHead>
      <Facts of={r} may={may} title={title} />
      {may && open === 'link' && <Link of={r} title={title} onClose={() => setOpen('')} />}
      {may && open === 'agent' && <Delegate of={r} title={title} onClose={() => setOpen('')} />}
      {r.kind === 'ticket' && <Delegated of={r} asked={(comments.data?.items ?? []).some((c) => c.body.text.includes('@'))} />}
      <div className="grid items-start gap-x-10 @5xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="min-w-0">
          {may && open === 'fields' && <div className="card"><EditRecord kind={r.kind} record={{ id: r.id, projectId: r.projectId, version: r.version, body, owner: r.owner }} onClose={() => setOpen('')} /></div>}
          {long && open !== 'fields' && <Words of={r} field={long} title={title} may={may} editing={may && open === 'words'} onEdit={(on) => setOpen(on ? 'words' : '')} />}
          <Contract of={r} title={title} last={proofs[0]} may={may} editing={may && open === 'contract'} onEdit={(on) => setOpen(on ? 'contract' : '')} />
          <Evidence of={body} />
          {r.projectId !== '' && <Say project={r.projectId} record={r.id} title={title} reply={reply} onSaid={() => setReply(undefined)} />}
          <Failed of={undo.error ?? comments.error} />
          <State pending={history.isPending} error={history.error} empty={happened.length === 0} hint="Nothing was recorded of it.">
            <Timeline of={happened} row={row} may={may} sources={body.sources ?? []} onUndo={(h) => undo.mutate(h)} onReply={(id, to) => setReply({ id, to })} all={every} onAll={() => setEvery(true)} />
          </State>
        </div>
        <aside aria-label="Around it" className="min-w-0">
          <Rest of={r} />
          {may && open === 'item' && <NewItem of={r} onClose={() => setOpen('')} />}
          <Failed of={references.error} />
          <Around of={relations} row={row} />
          <Made of={r} />
        </aside>
      </div>
      {r.kind === 'ticket' && <Beside project={r.projectId} id={r.id} sprint={String(body.sprint ?? '')} owner={r.owner ?? ''} waits={[references, history, comments, proved].some((q) => q.isLoading)} />}
    </>
  )
}

/** Evidence is what others said of a record where it comes from, and where an export says something else. */
function Evidence({ of: body }: { of: Body }) {
  return (
    <>
      <Differences of={(body.conflicts ?? []).map((c) => ({ ticket: c.ticketId, title: c.title ?? '', field: c.field, before: c.ticketValue, after: c.sourceValue }))} />
      {(body.evidence ?? []).map((e, i) => (
        <div key={i} className="my-2">
          <p className="m-0! text-sm text-muted">{[e.author, day(e.date), e.type, e.reference].filter(Boolean).join(' · ')}</p>
          <blockquote>{e.snippet}</blockquote>
        </div>
      ))}
    </>
  )
}

/** NewItem is a line in which sub-items of a ticket are made, one after the other. */
function NewItem(p: { of: Rec; onClose: () => void }) {
  const queries = useQueryClient()
  const make = useMutation({
    mutationFn: ([title = '', owner = '']: string[]) => change(`Made the sub-item ${title}`, api.POST('/api/projects/{project}/tickets', { params: { path: { project: p.of.projectId } }, body: { title, parentTicketId: p.of.id, ...(owner && { owner }) } as never })),
    onSettled: () => Promise.all([queries.invalidateQueries({ queryKey: ['ticket'] }), queries.invalidateQueries({ queryKey: ['record'] })]),
  })
  return (
    <>
      <LineForm label="New sub-item" again fields={[['What is to be done', ''], ['Owner', '']]} onClose={p.onClose} onSave={(values) => make.mutateAsync(values)} />
      <Failed of={make.error} />
    </>
  )
}

/** Made says who made a record and when, and what machines call it. */
function Made({ of: r }: { of: Rec }) {
  const who = useWho()
  return (
    <p className="mt-6 flex flex-wrap gap-x-4 text-xs text-faint">
      <span>created {moment(r.createdAt)} by {who(r.createdBy)}</span>
      {r.outside && <span title="It came by an intake or an import, or from an agent that had seen such. Agents take it for data, not for instructions.">words from outside</span>}
      <span>version {r.version}</span><code>{r.id}</code>
    </p>
  )
}
