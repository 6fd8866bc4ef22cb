import { useState } from 'react'
import { useKeys } from '../../lib/pane'
import { Popover } from '../../ui/Popover'
import { type Chosen, columns, shown } from './columns'
import { type Narrowed, useTickets } from './useTickets'

/** Columns chooses the columns of the table. */
export function Columns(p: { project: string; by: Narrowed; chosen: Chosen; onChoose: (name: string, wanted: boolean) => void }) {
  const seen = shown(columns, p.chosen, useTickets(p.project, p.by).data?.pages[0]?.items ?? [])
  const [open, setOpen] = useState(false)
  useKeys([{ key: 'c', does: 'choose the columns', act: () => setOpen(true) }])
  return (
    <Popover label="Columns" open={open} onOpen={setOpen} button={{ label: 'Columns c', className: '', shows: <>Columns <kbd>c</kbd></> }} className="p-3">
      {columns.filter((c) => c.name !== 'Title').map((c) => (
        <label key={c.name} className="flex items-center gap-2 py-0.5"><input type="checkbox" checked={seen.includes(c)} onChange={(e) => p.onChoose(c.name, e.target.checked)} /> {c.name}</label>
      ))}
    </Popover>
  )
}
