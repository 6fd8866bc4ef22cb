import { type KeyboardEvent, useState } from 'react'
import { ago, exact, ranges, spanning, useMoment } from '../lib/moment'
import { useKeys } from '../lib/pane'
import { current, useSprints } from '../lib/sprint'
import { Popover } from '../ui/Popover'

/** Choice is what is offered by a key. */
type Choice = { key: string; name: string; act: () => void }

/** useChoices are the ranges until now and the moments that are offered; the sprint is the one that people mean, when it has begun. */
function useChoices(project: string, open: boolean, show: (to: { since: string; asOf: string }) => void): { during: Choice[]; at: Choice[] } {
  const sprints = useSprints(project, '', open)
  const begun = current((sprints.data?.items ?? []).filter((s) => s.state !== 'PLANNED'))
  const now = new Date()
  const at = (moment: string) => () => show({ since: '', asOf: moment })
  return {
    during: ranges(now, begun).map(({ key, name, since }) => ({ key, name, act: () => show({ since, asOf: '' }) })),
    at: [
      { key: 'n', name: 'now', act: at('') },
      ...ago(now).map(({ key, name, moment }) => ({ key, name, act: at(moment) })),
      ...(begun?.beginDate ? [{ key: 's', name: `${begun.name}: its first day`, act: at(begun.beginDate) }] : []),
    ],
  }
}

/** step moves the focus among the buttons of a list. */
function step(e: KeyboardEvent<HTMLElement>) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[e.key]
  if (!by || (e.target as HTMLElement).matches('input')) return
  e.preventDefault()
  const all = [...e.currentTarget.querySelectorAll<HTMLElement>('button')]
  all[(all.indexOf(document.activeElement as HTMLElement) + by + all.length) % all.length]?.focus()
}

function Choices({ name, of }: { name: string; of: Choice[] }) {
  return (
    <fieldset aria-label={name} className="min-w-[24ch] flex-1">
      <p className="m-0! mb-1! px-1 text-muted">{name}</p>
      {of.map((c) => (
        <button key={c.key} type="button" className="flex w-full border-0! bg-transparent! px-1! py-0.5! text-left text-text! hover:bg-selected! focus-visible:bg-selected!" onClick={c.act}>
          <kbd className="w-[3ch] shrink-0">{c.key}</kbd> <span className="truncate">{c.name}</span>
        </button>
      ))}
    </fieldset>
  )
}

const small = 'px-2 py-0'

/** Own is a range of one's own: from nothing it is how things were at its end, and without an end it lasts until now. */
function Own({ onShow }: { onShow: (to: { since: string; asOf: string }) => void }) {
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const own = { since: exact(from), asOf: exact(to) }
  const backwards = own.since !== '' && own.asOf !== '' && own.since >= own.asOf
  const nothing = own.since === '' && own.asOf === ''
  const fields = [['From', from, setFrom], ['Until', to, setTo]] as const
  return (
    <form
      className="mt-2 flex flex-col gap-1 border-t border-line pt-2"
      onSubmit={(e) => {
        e.preventDefault()
        if (!backwards && !nothing) onShow(own)
      }}
    >
      {fields.map(([name, value, set]) => (
        <label key={name} className="flex items-center gap-2 text-muted">
          <span className="w-[6ch] px-1">{name}</span>
          <input type="datetime-local" step="1" className="min-w-0 flex-1 px-1 py-0" value={value} onChange={(e) => set(e.target.value)} />
        </label>
      ))}
      <div className="flex items-center gap-2">
        <span className="ml-[6ch] flex-1 pl-2 text-muted">{backwards ? <span role="alert" className="text-danger">It ends before it begins.</span> : own.since !== '' ? 'what changed in it' : own.asOf !== '' ? 'as it was then' : 'both, or one of them'}</span>
        <button type="submit" className={small} disabled={backwards || nothing}>Show</button>
      </div>
    </form>
  )
}

/** Moment says when the view is, and changes it: @ and a figure shows what changed in a range, @ and a letter how it was at a moment. */
export function Moment({ project }: { project: string }) {
  const { asOf, since, past, go } = useMoment()
  const [open, setOpen] = useState(false)
  const show = (to: { since: string; asOf: string }) => {
    setOpen(false)
    go(to)
  }
  const { during, at } = useChoices(project, open, show)
  useKeys([{ key: '@', does: 'what changed in a range, or an earlier moment', act: () => setOpen(true) }])
  const said = spanning(since, asOf)
  return (
    <Popover
      label="Range"
      open={open}
      onOpen={setOpen}
      button={{ label: said === '' ? 'As of now @' : `Shown ${said}, another range @`, className: `${small} ${past ? 'border-warn text-warn' : ''}`, shows: <>{said === '' ? 'now' : 'another range'} <kbd>@</kbd></> }}
      className="w-[58ch] max-w-[94vw] p-3"
      keys={Object.fromEntries([...during, ...at].map((c) => [c.key, c.act]))}
      onKeyDown={step}
    >
      <div className="flex flex-wrap gap-3">
        <Choices name="What changed in" of={during} />
        <Choices name="As it was" of={at} />
      </div>
      <Own onShow={show} />
    </Popover>
  )
}
