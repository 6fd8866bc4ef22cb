import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../api/client'
import { useMayEdit } from '../lib/moment'
import { useWord } from '../lib/project'
import { type Rec, useEdits, useRecords } from '../lib/records'
import { useRows } from '../lib/rows'
import { QuickAdd } from '../ui/QuickAdd'
import { State } from '../ui/State'
import { Table } from '../ui/Table'
import { EditRecord } from './records/EditRecord'
import { Preview } from './records/Preview'

type Address = Schemas['DeskLinkBody']

/** byCategory puts pinned links first, then by category and title. */
const byCategory = (a: Rec<Address>, b: Rec<Address>) => Number(b.body.pinned ?? false) - Number(a.body.pinned ?? false) || (a.body.category ?? '').localeCompare(b.body.category ?? '') || a.body.title.localeCompare(b.body.title)

/** parts are the address and the words of a line, in any order. */
function parts(line: string): { url: string; title: string } {
  const url = /https?:\/\/\S+/.exec(line)?.[0] ?? line.trim()
  return { url, title: line.replace(url, '').trim() }
}

/** Links lists addresses worth keeping; they are opened only when somebody asks for it. */
export function Links({ project }: { project: string }) {
  const navigate = useNavigate()
  const may = useMayEdit()
  const [words, setWords] = useWord('q')
  const [line, setLine] = useState('')
  const [category, setCategory] = useState('')
  const [editing, setEditing] = useState('')
  const list = useRecords<Address>(project, 'link', 'links')
  const edits = useEdits<Address>(project, 'link', 'links')
  const wanted = words.toLowerCase()
  const all = edits.now(list.all).filter((r) => [r.body.title, r.body.url, r.body.category, r.body.description, ...(r.body.tags ?? [])].some((t) => t?.toLowerCase().includes(wanted))).toSorted(byCategory)
  const find = (id: string) => all.find((r) => r.id === id)
  const visit = (id: string) => {
    const url = find(id)?.body.url
    if (url) window.open(url, '_blank', 'noopener,noreferrer')
  }
  const pin = (id: string) => {
    const of = find(id)
    if (of) edits.change(of, { pinned: !of.body.pinned })
  }
  const remove = (id: string) => {
    const of = find(id)
    if (of) edits.remove.mutate(of)
  }
  const { at, row } = useRows(all.map((r) => r.id), {
    Enter: { does: 'open the address in a new window', act: visit },
    o: { does: 'open the record', act: (id) => void navigate({ to: '/records/$id', params: { id } } as never) },
    ...(may && { p: { does: 'pin it, or take the pin away', act: pin }, e: { does: 'edit it', act: setEditing }, Delete: { does: 'remove it', act: remove } }),
  })
  const categories = [...new Set(list.all.map((r) => r.body.category ?? ''))].filter(Boolean).sort()
  return (
    <section>
      <h2>Links <span className="text-muted" data-testid="total">{list.total}</span></h2>
      {may && (
        <QuickAdd
          label="New link" hint="https://… and what it is" value={line} onChange={setLine} busy={edits.add.isPending} error={edits.add.error}
          onAdd={() => edits.add.mutate({ ...parts(line), ...(category && { category }) }, { onSuccess: () => setLine('') })}
        >
          <input aria-label="Category" list="link-categories" placeholder="category" className="w-[16ch]" value={category} onChange={(e) => setCategory(e.target.value)} />
          <datalist id="link-categories">{categories.map((c) => <option key={c} value={c} />)}</datalist>
        </QuickAdd>
      )}
      <div className="row">
        <input aria-label="Words in a link" placeholder="Words in a link" value={words} onChange={(e) => setWords(e.target.value)} />
        <span className="text-muted @max-2xl:hidden"><kbd>Enter</kbd> open the address {may && <><kbd>p</kbd> pin <kbd>e</kbd> edit <kbd>Del</kbd> remove</>}</span>
      </div>
      {edits.error && <p className="danger" role="alert">{edits.error.message}</p>}
      <State pending={list.isPending} error={list.error} empty={all.length === 0} hint={words === '' ? 'No links yet. Paste an address above, such as the runbook that is asked for every week.' : 'No link has these words.'}>
        <Table
          heads={['', 'Link', { name: 'Category', from: 52 }, { name: 'Tags', from: 64 }, '']}
          rows={all.map((r) => ({ key: r.id, on: row(r.id), cells: may && r.id === editing ? { whole: <EditRecord kind="link" record={r} onClose={() => setEditing('')} /> } : cells(r) }))}
        />
        {list.hasNextPage && <button type="button" onClick={() => void list.fetchNextPage()}>More</button>}
      </State>
      <Preview id={at} />
    </section>
  )
}

function cells(r: Rec<Address>) {
  const b = r.body
  return [
    b.pinned ? <span key="pin" className="text-warn" role="img" aria-label="pinned">▲</span> : '',
    <div key="link" className="min-w-0 wrap-anywhere">
      <a href={b.url} target="_blank" rel="noreferrer noopener">{b.title}</a>
      {b.title !== b.url && <div className="text-muted">{b.url}</div>}
      {b.description && <div>{b.description}</div>}
    </div>,
    <span key="category" className="text-muted">{b.category}</span>, <span key="tags" className="text-muted">{b.tags?.join(', ')}</span>,
    <Link key="record" to="/records/$id" params={{ id: r.id }} aria-label={`Record of ${b.title}`}>record</Link>,
  ]
}
