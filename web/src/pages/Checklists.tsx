import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, must, type Schemas } from '../api/client'
import { useMayEdit } from '../lib/moment'
import { type Rec, useEdits, useRecords } from '../lib/records'
import { useRows } from '../lib/rows'
import { Bar } from '../ui/Bar'
import { LineForm } from '../ui/LineForm'
import { QuickAdd } from '../ui/QuickAdd'
import { Sources } from '../ui/Sources'
import { State } from '../ui/State'
import { Status } from '../ui/Status'

type Checklist = Schemas['DeskChecklistBody']
type Item = Schemas['DeskItem']

/** New is the line in which a checklist is added, empty or as a template says. */
function New({ project, edits }: { project: string; edits: ReturnType<typeof useEdits<Checklist>> }) {
  const [name, setName] = useState('')
  const [template, setTemplate] = useState('')
  const templates = useQuery({ queryKey: ['checklist_template', project], queryFn: () => must(api.GET('/api/projects/{project}/checklist-templates', { params: { path: { project }, query: { limit: 200 } } })) })
  const like = (templates.data?.items ?? []).find((t) => t.id === template)
  const add = () =>
    edits.add.mutate(
      { name, items: (like?.body.items ?? []).map((i) => ({ text: i.text, ...(i.defaultAssigneeRole && { notes: `For: ${i.defaultAssigneeRole}` }) })), ...(like && { templateId: like.id }) },
      { onSuccess: () => setName('') },
    )
  return (
    <QuickAdd label="New checklist" hint="Name of a checklist" value={name} onChange={setName} busy={edits.add.isPending} error={edits.add.error} onAdd={add}>
      {(templates.data?.items ?? []).length > 0 && (
        <select aria-label="Begin as" value={template} onChange={(e) => setTemplate(e.target.value)}>
          <option value="">empty</option>
          {templates.data?.items?.map((t) => <option key={t.id} value={t.id}>as {t.body.name}</option>)}
        </select>
      )}
    </QuickAdd>
  )
}

/** nextId is an id that no item has, so that an item can be ticked off before the daemon has answered. */
const nextId = (all: Item[]) => String(1 + Math.max(0, ...all.map((i) => Number(i.itemId)).filter((n) => !Number.isNaN(n))))

/** place is the id of a row: the list's, or that of one of its items. */
const place = (list: string, item?: number) => (item === undefined ? list : `${list} ${item}`)

/** Checklists shows what has to be checked, item by item; one key ticks an item off. */
export function Checklists({ project }: { project: string }) {
  const navigate = useNavigate()
  const may = useMayEdit()
  const [form, setForm] = useState<{ row: string; adds: boolean }>()
  const list = useRecords<Checklist>(project, 'checklist', 'checklists')
  const edits = useEdits<Checklist>(project, 'checklist', 'checklists')
  const open = (r: Rec<Checklist>) => Number(r.body.status === 'COMPLETED' || r.body.status === 'TEMPLATE')
  const all = edits.now(list.all).toSorted((a, b) => open(a) - open(b))
  const at = (row: string) => {
    const [id = '', n] = row.split(' ')
    return { of: all.find((r) => r.id === id), n: n === undefined ? undefined : Number(n) }
  }
  const items = (of: Rec<Checklist>, change: (all: Item[]) => Item[]) => edits.change(of, (b) => ({ items: change(b.items ?? []) }))
  const tick = (row: string) => {
    const { of, n } = at(row)
    const item = n === undefined ? undefined : of?.body.items?.[n]
    if (of && item) items(of, (x) => x.map((i) => (i.itemId === item.itemId ? { ...i, checked: !i.checked } : i)))
  }
  const remove = (row: string) => {
    const { of, n } = at(row)
    if (of && n === undefined) edits.remove.mutate(of)
    else if (of && n !== undefined) {
      const item = of.body.items?.[n]
      items(of, (x) => x.filter((i) => i.itemId !== item?.itemId))
    }
  }
  const { row } = useRows(all.flatMap((r) => [r.id, ...(r.body.items ?? []).map((_, n) => place(r.id, n))]), {
    Enter: { does: 'open the checklist', act: (id) => void navigate({ to: '/records/$id', params: { id: id.split(' ')[0] ?? '' } } as never) },
    ...(may && {
      x: { does: 'tick the item off, or take it back', act: tick },
      a: { does: 'add an item to this list', act: (id: string) => setForm({ row: id.split(' ')[0] ?? '', adds: true }) },
      e: { does: 'edit the item or the name', act: (id: string) => setForm({ row: id, adds: false }) },
      Delete: { does: 'remove the item or the list', act: remove },
    }),
  })
  const close = () => setForm(undefined)
  return (
    <section>
      <h2>Checklists <span className="text-muted" data-testid="total">{list.total}</span></h2>
      {may && <New project={project} edits={edits} />}
      {may && <p className="text-muted @max-2xl:hidden"><kbd>x</kbd> tick off <kbd>a</kbd> add an item <kbd>e</kbd> edit <kbd>Del</kbd> remove <kbd>n</kbd> new list</p>}
      {edits.error && <p className="danger" role="alert">{edits.error.message}</p>}
      <State pending={list.isPending} error={list.error} empty={all.length === 0} hint="No checklists yet. Write a name above, then a to add what has to be checked. The checklist keeper in Chat makes them from what was said.">
        {all.map((r) => (
          <article key={r.id} className="card" aria-label={r.body.name}>
            <Head of={r} row={row(r.id)} />
            {may && form?.row === r.id && !form.adds && <LineForm label="Name" fields={[['Name', r.body.name]]} onClose={close} onSave={([name]) => edits.change(r, { name: name ?? '' })} />}
            <ul className="items">
              {(r.body.items ?? []).map((x, n) => {
                const id = place(r.id, n)
                const { className, ...rest } = row(id)
                return (
                  <li key={x.itemId ?? n} {...rest} className={`px-2! ${className}`}>
                    {may && form?.row === id
                      ? <LineForm label={`Edit ${x.text}`} fields={[['Text', x.text], ['Who', x.assignee ?? '']]} onClose={close} onSave={([text, assignee]) => items(r, (i) => i.map((y) => (y.itemId === x.itemId ? { ...y, text: text ?? y.text, assignee: assignee ?? '' } : y)))} />
                      : <Line of={x} {...(may && { onTick: () => tick(id) })} />}
                  </li>
                )
              })}
            </ul>
            {may && form?.row === r.id && form.adds && <LineForm label="New item" again fields={[['Text', ''], ['Who', '']]} onClose={close} onSave={([text, assignee]) => items(r, (i) => [...i, { itemId: nextId(i), text: text ?? '', ...(assignee && { assignee }) }])} />}
            {may && form?.row !== r.id && <button type="button" className="px-2 py-0" aria-label={`Add an item to ${r.body.name}`} onClick={() => setForm({ row: r.id, adds: true })}>Add an item</button>}
            <Sources of={r.body.sources} />
          </article>
        ))}
      </State>
    </section>
  )
}

function Head({ of: r, row }: { of: Rec<Checklist>; row: ReturnType<ReturnType<typeof useRows>['row']> }) {
  const items = r.body.items ?? []
  const done = items.filter((i) => i.checked).length
  return (
    <div {...row} className={`flex flex-wrap items-baseline gap-x-3 px-2 ${row.className}`}>
      <Link to="/records/$id" params={{ id: r.id }} className="font-bold">{r.body.name}</Link>
      <Status of={r.body.status} />
      <span className="ml-auto flex w-[26ch] items-baseline gap-2 tabular-nums"><Bar label={`${done} of ${items.length} items are checked`} whole={items.length} parts={[{ value: done, colour: 'up' }]} /> {done}/{items.length}</span>
    </div>
  )
}

function Line({ of: x, onTick }: { of: Item; onTick?: () => void }) {
  return (
    <label className="flex items-baseline gap-x-2">
      <input type="checkbox" tabIndex={-1} className="shrink-0 accent-accent" checked={x.checked ?? false} disabled={!onTick} onChange={() => onTick?.()} />
      <span className="flex min-w-0 flex-wrap gap-x-2">
        <span className={x.checked ? 'text-muted line-through' : ''}>{x.text}</span>
        <span className="text-muted">{x.assignee || (x.checked ? '' : 'unassigned')} {x.notes}</span>
        {x.linkedTicketId && <Link to="/records/$id" params={{ id: x.linkedTicketId }} className="cite">ticket</Link>}
      </span>
    </label>
  )
}
