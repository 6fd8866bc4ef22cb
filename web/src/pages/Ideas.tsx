import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, type Schemas } from '../api/client'
import { change } from '../lib/change'
import { useMayEdit } from '../lib/moment'
import { useWord } from '../lib/project'
import { type Rec, useEdits, useRecords } from '../lib/records'
import { useRows } from '../lib/rows'
import { day } from '../lib/when'
import { Options } from '../ui/Options'
import { QuickAdd } from '../ui/QuickAdd'
import { Sources } from '../ui/Sources'
import { State } from '../ui/State'
import { Status } from '../ui/Status'
import { Table } from '../ui/Table'
import { EditRecord } from './records/EditRecord'
import { Preview } from './records/Preview'

type Idea = Schemas['DeskIdeaBody']

const statuses = ['NEW', 'REVIEWED', 'PROMOTED', 'ARCHIVED']

/** Ideas lists thoughts that may become work; one key makes a ticket of one. */
export function Ideas({ project }: { project: string }) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const may = useMayEdit()
  const [status, setStatus] = useWord('status')
  const [editing, setEditing] = useState('')
  const [title, setTitle] = useState('')
  const list = useRecords<Idea>(project, 'idea', 'ideas', { newest: true, filter: status === '' ? 'status:NEW,REVIEWED' : status === 'any' ? '' : `status:${status}` })
  const edits = useEdits<Idea>(project, 'idea', 'ideas')
  const promote = useMutation({
    mutationFn: (id: string) => change('Made a ticket of the idea', api.POST('/api/projects/{project}/ideas/{id}/promote', { params: { path: { project, id } } })),
    onSettled: () => Promise.all([queries.invalidateQueries({ queryKey: ['idea'] }), queries.invalidateQueries({ queryKey: ['ticket'] })]),
  })
  const all = edits.now(list.all)
  const find = (id: string) => all.find((r) => r.id === id)
  const become = (id: string, to: Idea['status']) => {
    const of = find(id)
    if (of && of.body.status !== to && of.body.status !== 'PROMOTED') edits.change(of, { status: to })
  }
  const ticket = (id: string) => {
    if (find(id)?.body.status !== 'PROMOTED' && !(promote.isPending && promote.variables === id)) promote.mutate(id)
  }
  const remove = (id: string) => {
    const of = find(id)
    if (of) edits.remove.mutate(of)
  }
  const { at, row } = useRows(all.map((r) => r.id), {
    Enter: { does: 'open the idea', act: (id) => void navigate({ to: '/records/$id', params: { id } } as never) },
    ...(may && {
      t: { does: 'make a ticket of it', act: ticket },
      r: { does: 'it was reviewed', act: (id: string) => become(id, 'REVIEWED') },
      x: { does: 'archive it, or take it back', act: (id: string) => become(id, find(id)?.body.status === 'ARCHIVED' ? 'NEW' : 'ARCHIVED') },
      e: { does: 'edit it', act: setEditing },
      Delete: { does: 'remove it', act: remove },
    }),
  })
  return (
    <section>
      <h2>Ideas <span className="text-muted" data-testid="total">{list.total}</span></h2>
      {may && (
        <QuickAdd
          label="New idea" hint="An idea in one line, #words become its tags" value={title} onChange={setTitle} busy={edits.add.isPending} error={edits.add.error}
          onAdd={() => edits.add.mutate({ title: title.replace(/(^|\s)#[\p{L}\p{N}_-]+/gu, '').trim() || title.trim(), tags: [...title.matchAll(/(?:^|\s)#([\p{L}\p{N}_-]+)/gu)].map((m) => m[1] ?? '') }, { onSuccess: () => setTitle('') })}
        />
      )}
      <div className="row">
        <select aria-label="Status" value={status} onChange={(e) => setStatus(e.target.value)}>
          <option value="">new and reviewed</option>
          <option value="any">any status</option>
          <Options of={statuses} />
        </select>
        {may && <span className="text-muted @max-2xl:hidden"><kbd>t</kbd> make a ticket <kbd>r</kbd> reviewed <kbd>x</kbd> archive <kbd>e</kbd> edit <kbd>Del</kbd> remove</span>}
      </div>
      {(promote.error ?? edits.error) && <p className="danger" role="alert">{(promote.error ?? edits.error)?.message}</p>}
      <State pending={list.isPending} error={list.error} empty={all.length === 0} hint={status === '' ? 'No idea waits for a look. Write one above; minutes and threads bring more.' : 'No idea has this status.'}>
        <Table
          heads={['Status', 'Idea', { name: 'Tags', from: 52 }, { name: 'Since', from: 64 }, '']}
          rows={all.map((r) => ({ key: r.id, on: row(r.id), cells: may && r.id === editing ? { whole: <EditRecord kind="idea" record={r} onClose={() => setEditing('')} /> } : cells(r, may ? () => ticket(r.id) : undefined) }))}
        />
        {list.hasNextPage && <button type="button" onClick={() => void list.fetchNextPage()}>More</button>}
      </State>
      <Preview id={at} />
    </section>
  )
}

function cells(r: Rec<Idea>, ticket?: () => void) {
  const b = r.body
  return [
    <Status key="status" of={b.status} />,
    <div key="idea" className="min-w-0">
      <Link to="/records/$id" params={{ id: r.id }}>{b.title}</Link>
      {b.content && <div className="whitespace-pre-wrap text-muted">{b.content}</div>}
      <Sources of={b.sources} />
    </div>,
    <span key="tags" className="text-muted">{b.tags?.join(', ')}</span>,
    <span key="since" className="whitespace-nowrap text-muted">{day(r.createdAt)}</span>,
    b.promotedToTicketId
      ? <Link key="do" to="/records/$id" params={{ id: b.promotedToTicketId }} className="cite">ticket</Link>
      : ticket && <button key="do" type="button" className="px-2 py-0 whitespace-nowrap" aria-label={`Make a ticket of ${b.title}`} onClick={ticket}>Make a ticket</button>,
  ]
}
