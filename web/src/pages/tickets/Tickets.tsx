import { useState } from 'react'
import { useMayEdit } from '../../lib/moment'
import { useKeys } from '../../lib/pane'
import { useWord } from '../../lib/project'
import { Choice } from '../../ui/Choice'
import { Options } from '../../ui/Options'
import { ViewHead } from '../../ui/ViewHead'
import { Whole } from '../../ui/Whole'
import { Board } from './Board'
import { Columns } from './Columns'
import { useChosen } from './columns'
import { Dependencies } from './Dependencies'
import { List } from './List'
import { NewTicket } from './NewTicket'
import { SaveFilter } from './SaveFilter'
import { askTickets, useTickets } from './useTickets'
import { statuses } from './values'

export { askTickets as askFirst }

/** forms are the shapes that tickets are shown in, and the key of each. */
const forms = [['', 'Table', '1'], ['board', 'Board', '2'], ['dependencies', 'Dependencies', '3']] as const

/** Tickets shows the tickets, narrowed by words, status and filter, as a table, a board, or by what waits for what. */
export function Tickets({ project }: { project: string }) {
  const [text, setText] = useWord('q')
  const [status, setStatus] = useWord('status')
  const [filter, setFilter] = useWord('filter')
  const [sort, setSort] = useWord('sort')
  const [form, setForm] = useWord('form')
  useKeys(forms.map(([name, title, key]) => ({ key, does: title.toLowerCase(), act: () => setForm(name) })))
  const may = useMayEdit()
  const [making, setMaking] = useState(false)
  const [chosen, choose] = useChosen()
  const by = { text, status, filter, sort }
  return (
    <section>
      <ViewHead title="Tickets" total={<Total project={project} by={by} />} primary={may && { name: 'New ticket', open: making, act: () => setMaking(true) }}>
        <Choice name="Shape" of={forms.map(([value, title, key]) => ({ value, title, key }))} value={form} onChange={setForm} />
      </ViewHead>
      {making && <NewTicket project={project} onClose={() => setMaking(false)} />}
      {form !== 'dependencies' && (
        <div className="row">
          <input placeholder="Words in the title" aria-label="Words in the title" value={text} onChange={(e) => setText(e.target.value)} />
          {form === '' && (
            <select aria-label="Status" value={status} onChange={(e) => setStatus(e.target.value)}>
              <option value="">any status</option>
              <Options of={statuses} />
            </select>
          )}
          <form className="grow" onSubmit={(e) => { e.preventDefault(); setFilter(String(new FormData(e.currentTarget).get('filter') ?? '').trim()) }}>
            <input name="filter" key={filter} defaultValue={filter} aria-label="Filter" placeholder='Filter, then Enter: owner:"Joe" updated:>2w points:>=3 -label:ui' />
          </form>
          {[text, status, filter, sort].some((w) => w !== '') && <SaveFilter />}
          {form === '' && <Columns project={project} by={by} chosen={chosen} onChoose={choose} />}
        </div>
      )}
      {form === 'board' ? <Whole><Board project={project} text={text} filter={filter} /></Whole> : form === 'dependencies' ? <Dependencies project={project} /> : <List project={project} by={by} chosen={chosen} onSort={setSort} />}
    </section>
  )
}

/** Total is how many tickets fit; the table asks the same, so it is asked once. */
function Total(p: { project: string; by: Parameters<typeof useTickets>[1] }) {
  const q = useTickets(p.project, p.by)
  return q.data?.pages[0]?.total
}
