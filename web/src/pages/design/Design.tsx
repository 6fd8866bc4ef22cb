import { type ReactNode, useState } from 'react'
import { Agent } from '../../ui/Agent'
import { Avatar } from '../../ui/Avatar'
import { Bar } from '../../ui/Bar'
import { Chart } from '../../ui/Chart'
import { Choice } from '../../ui/Choice'
import { Conflict } from '../../ui/Conflict'
import { Dialog } from '../../ui/Dialog'
import { Diff } from '../../ui/Diff'
import { Icon } from '../../ui/Icon'
import { Menu } from '../../ui/Menu'
import { Options } from '../../ui/Options'
import { Person } from '../../ui/Person'
import { Popover } from '../../ui/Popover'
import { Presence } from '../../ui/Presence'
import { Severity } from '../../ui/Severity'
import { Sources } from '../../ui/Sources'
import { State } from '../../ui/State'
import { Status } from '../../ui/Status'
import { Table } from '../../ui/Table'
import { Tip } from '../../ui/Tip'
import { toast } from '../../ui/toast'

const grounds = ['bg-bg', 'bg-panel', 'bg-line', 'bg-selected', 'bg-marked', 'bg-scroll']
const attention = ['text-strong', 'text-text', 'text-muted', 'text-faint']
const meaning = ['text-up', 'text-down', 'text-warn', 'text-danger', 'text-live', 'text-agent', 'text-person', 'text-link', 'text-accent']
const sizes = ['text-xs', 'text-sm', 'text-base', 'text-lg', 'text-xl', 'text-figure']
const spaces = ['w-1', 'w-2', 'w-3', 'w-4', 'w-6', 'w-8']
const states = {
  Tickets: ['TODO', 'IN_PROGRESS', 'REVIEW', 'DONE', 'BLOCKED', 'CLOSED'], Objectives: ['PROPOSED', 'COMMITTED', 'AT_RISK', 'ACHIEVED', 'MISSED', 'DROPPED'],
  Runs: ['queued', 'running', 'waiting', 'done', 'failed', 'cancelled'], Blindspots: ['OPEN', 'ACKNOWLEDGED', 'RESOLVED', 'DISMISSED'],
}
const people = ['Dana Reyes', 'Joe Martinez', 'Alice Chen']

function Part(p: { name: string; children: ReactNode }) {
  return <section aria-label={p.name} className="min-w-0"><h3>{p.name}</h3>{p.children}</section>
}

/** Design shows every piece of the kit in the look of now; it is in the development build alone. */
export function Design() {
  return (
    <section>
      <h2>Design</h2>
      <p className="muted">Each piece of <code>web/src/ui</code>, in the look of now. <kbd>T</kbd> shows the next look.</p>
      <div className="grid gap-x-10 @4xl:grid-cols-2 @7xl:grid-cols-3">
        <Tokens />
        <Words />
        <Pieces />
        <Lists />
        <Over />
        <Part name="Chart">
          <Chart title="Burn-up" file="design" head="Day" names={['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04']} lines={[{ name: 'Scope', values: [8, 8, 10, 10], colour: 'text' }, { name: 'Done', values: [0, 3, 5, null], colour: 'up', filled: true }]} marks={[{ at: '2026-03-03', name: 'today' }]} />
        </Part>
      </div>
    </section>
  )
}

function Tokens() {
  return (
    <>
      <Part name="Grounds">{grounds.map((c) => <span key={c} className="mr-3 mb-2 inline-flex items-center gap-1.5"><span className={`inline-block size-5 border border-line ${c}`} />{c.slice(3)}</span>)}</Part>
      <Part name="Attention">{attention.map((c) => <p key={c} className={`my-0! ${c}`}>{c.slice(5)}: the title of a record, its value, what is beside it, a hint</p>)}</Part>
      <Part name="Meaning">{meaning.map((c) => <span key={c} className={`mr-3 inline-block ${c}`}>■ {c.slice(5)}</span>)}</Part>
      <Part name="Type">{sizes.map((s) => <p key={s} className={`my-0! ${s}`}>{s.slice(5)} 0123456789</p>)}</Part>
      <Part name="Spacing">{spaces.map((s) => <span key={s} className={`mr-3 inline-block h-4 bg-accent ${s}`} title={s} />)}</Part>
      <Part name="Focus and selection">
        <p className="my-1! bg-selected px-2 shadow-[inset_3px_0_0_var(--color-focus)]">The chosen row</p>
        <p className="my-1! bg-marked px-2">A marked row</p>
        <p className="my-1!"><span className="px-2 outline-2 outline-offset-1 outline-focus">What has the focus</span></p>
      </Part>
    </>
  )
}

function Words() {
  return (
    <>
      <Part name="Statuses">{Object.entries(states).map(([of, all]) => <p key={of} className="my-1! flex flex-wrap gap-x-4"><span className="w-[12ch] text-muted">{of}</span>{all.map((s) => <Status key={s} of={s} />)}</p>)}</Part>
      <Part name="Severity and priority"><p className="flex gap-4">{['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'].map((s) => <Severity key={s} of={s} />)}</p></Part>
      <Part name="Persons and agents">
        <p className="flex flex-wrap items-center gap-4">{people.map((n) => <Person key={n} name={n} />)}<Person name={undefined} /></p>
        <p className="flex flex-wrap items-center gap-4"><Agent name="agent:pm" /><Agent name="agent:coder" /><Avatar name="Dana Reyes" agent={false} /><Avatar name="coder" agent /></p>
        <p className="flex flex-wrap gap-x-4">{['working', 'waiting', 'idle', 'disabled', 'unreachable'].map((s) => <Presence key={s} of={s} word />)}</p>
      </Part>
      <Part name="States of a list">
        <State pending error={null}>{null}</State>
        <State pending={false} error={null} empty hint="No tickets fit. They come from exports and minutes: see Intake.">{null}</State>
        <State pending={false} error={new Error('The daemon answered 503. Try again in a minute.')}>{null}</State>
      </Part>
    </>
  )
}

function Pieces() {
  const [shape, setShape] = useState('table')
  return (
    <>
      <Part name="Buttons">
        <div className="row">
          <button type="button" className="primary">New ticket <kbd>n</kbd></button><button type="button">Edit <kbd>e</kbd></button><button type="button" disabled>Disabled</button>
          <button type="button" className="danger">Delete…</button><Tip text="Divide beside" keys="\"><button type="button" aria-label="Divide beside" className="plain grid size-6 place-items-center"><Icon of="beside" /></button></Tip>
        </div>
        <Choice name="Shape" of={[{ value: 'table', title: 'Table', key: '1' }, { value: 'board', title: 'Board', key: '2' }]} value={shape} onChange={setShape} />
      </Part>
      <Part name="Fields">
        <div className="row"><input aria-label="A text" placeholder="Words" /><select aria-label="A choice"><Options of={states.Tickets} /></select><label><input type="checkbox" defaultChecked /> for all projects</label></div>
        <textarea aria-label="A long text" rows={2} defaultValue="Split the card handler before the retry queue." />
      </Part>
      <Part name="Bars"><p className="flex items-baseline gap-3"><Bar label="60% of the time" whole={100} mark={100} parts={[{ value: 40, colour: 'up' }, { value: 20, colour: 'live', faint: true }]} /> 60%</p></Part>
      <Part name="Card"><article className="card"><p><b>A card</b> <span className="chip">rules only</span></p><p className="muted">With what belongs together.</p></article></Part>
    </>
  )
}

function Lists() {
  return (
    <>
      <Part name="Table">
        <Table heads={['Key', 'Title', 'Status', 'Owner']} rows={[
          { key: 1, cells: ['PAY-201', <a key="t" href="/records/1">Split the card handler</a>, <Status key="s" of="IN_PROGRESS" />, <Person key="o" name="Joe Martinez" />] },
          { key: 2, cells: ['PAY-206', <a key="t" href="/records/2">Audit trail for issued keys</a>, <Status key="s" of="BLOCKED" />, <Person key="o" name={undefined} />] },
        ]} />
      </Part>
      <Part name="Where something comes from"><Sources of={[{ by: 'rule:actions', document: 'minutes.md', line: 12, quote: 'ACTION: Joe to split the card handler by March 6' }]} /></Part>
      <Part name="Difference"><Diff of="the file" text={'@@ -1,2 +1,2 @@\n retries: 3\n-wait: 1s\n+wait: 2s\n'} /></Part>
      <Part name="Conflict"><Conflict theirs={[['status', 'BLOCKED']]} onKeep={() => undefined} onTake={() => undefined} /></Part>
    </>
  )
}

function Over() {
  const [dialog, setDialog] = useState(false)
  const [open, setOpen] = useState(false)
  const [form, setForm] = useState('a')
  return (
    <Part name="What opens over the page">
      <div className="row">
        <button type="button" onClick={() => setDialog(true)}>Dialog</button>
        <Popover label="A popover" open={open} onOpen={setOpen} button={{ label: 'Popover', shows: 'Popover' }} className="p-3">What opens under its button.</Popover>
        <Menu shows="Menu" groups={[{ name: 'One of', value: form, onChange: setForm, of: [{ value: 'a', title: 'The first' }, { value: 'b', title: 'The second', hint: 'with a hint' }] }]} />
        <button type="button" onClick={() => toast('PAY-201 is In progress', { undo: () => undefined })}>Toast</button>
        <button type="button" onClick={() => toast('It was changed by somebody else. Look at it again.', { bad: true })}>Toast of a failure</button>
      </div>
      {dialog && <Dialog title="A dialog" onClose={() => setDialog(false)}><p>It lies in the middle and begins at its top.</p></Dialog>}
    </Part>
  )
}
