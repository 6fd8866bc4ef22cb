import { Popover } from '@base-ui/react/popover'
import { type KeyboardEvent, useState } from 'react'
import { ago, exact, saying, useMoment } from '../lib/moment'
import { useKeys } from '../lib/pane'
import { current, useSprints } from '../lib/sprint'

/** Choice is a moment that is offered, by its key. */
type Choice = { key: string; name: string; moment: string }

/** useChoices are the moments that are offered: now, some ago, and the beginning of the newest sprint that has begun. */
function useChoices(project: string, open: boolean): Choice[] {
  const sprints = useSprints(project, '', open)
  const begun = current((sprints.data?.items ?? []).filter((s) => s.state !== 'PLANNED'))
  return [...ago(new Date()), ...(begun?.beginDate ? [{ key: 's', name: `${begun.name}: its first day`, moment: begun.beginDate }] : [])]
}

/** step moves the focus among the buttons of a list. */
function step(e: KeyboardEvent<HTMLElement>) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[e.key]
  if (!by || (e.target as HTMLElement).matches('input')) return
  e.preventDefault()
  const all = [...e.currentTarget.querySelectorAll<HTMLElement>('button')]
  all[(all.indexOf(document.activeElement as HTMLElement) + by + all.length) % all.length]?.focus()
}

/** Moment says as of when the view is, and changes it: @ and a letter shows an earlier moment, with Shift what changed since. */
export function Moment({ project }: { project: string }) {
  const { asOf, since, past, go } = useMoment()
  const [open, setOpen] = useState(false)
  const [local, setLocal] = useState('')
  const choices = useChoices(project, open)
  useKeys([{ key: '@', does: 'an earlier moment, or what changed since one', act: () => setOpen(true) }])
  const show = (moment: string) => {
    setOpen(false)
    go({ asOf: moment, since: '' })
  }
  const changes = (moment: string) => {
    setOpen(false)
    go({ since: moment })
  }
  const onKeyDown = (e: KeyboardEvent<HTMLElement>) => {
    step(e)
    if ((e.target as HTMLElement).matches('input') || e.ctrlKey || e.metaKey || e.altKey) return
    const meant = choices.find((c) => c.key === e.key.toLowerCase())
    if (e.key === 'n') show('')
    else if (meant && e.key === meant.key) show(meant.moment)
    else if (meant) changes(meant.moment)
    else return
    e.preventDefault()
  }
  const wanted = exact(local)
  const small = 'px-2 py-0'
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className={`${small} ${past ? 'border-warn text-warn' : ''}`} aria-label={past ? `As of ${saying(asOf)}, another moment @` : since === '' ? 'As of now @' : `What changed since ${saying(since)} @`}>
        {past ? 'another moment' : since === '' ? 'now' : 'since'} <kbd>@</kbd>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner side="bottom" align="end" sideOffset={4} collisionPadding={8} className="z-30">
          <Popover.Popup aria-label="Moment" onKeyDown={onKeyDown} className="w-[44ch] max-w-[94vw] border border-accent bg-panel p-3 outline-none">
            <p className="m-0 mb-2 flex text-muted"><span>Show it as it was</span><span className="ml-auto">what changed since</span></p>
            <button type="button" className="flex w-full border-0 px-1 py-0.5 text-left text-text! hover:bg-chosen focus-visible:bg-chosen" onClick={() => show('')}>
              <kbd className="w-[3ch]">n</kbd> now
            </button>
            {choices.map((c) => (
              <div key={c.key} className="flex">
                <button type="button" className="flex min-w-0 flex-1 border-0 px-1 py-0.5 text-left text-text! hover:bg-chosen focus-visible:bg-chosen" onClick={() => show(c.moment)}>
                  <kbd className="w-[3ch] shrink-0">{c.key}</kbd> <span className="truncate">{c.name}</span>
                </button>
                <button type="button" className="border-0 px-1 py-0.5 hover:bg-chosen focus-visible:bg-chosen" aria-label={`What changed since ${c.name}`} onClick={() => changes(c.moment)}>
                  changes <kbd>{c.key.toUpperCase()}</kbd>
                </button>
              </div>
            ))}
            <form
              className="mt-2 flex flex-wrap items-center gap-2 border-t border-line pt-2"
              onSubmit={(e) => {
                e.preventDefault()
                if (wanted !== '') show(wanted)
              }}
            >
              <input type="datetime-local" aria-label="Exact moment" step="1" className="min-w-0 flex-1 px-1 py-0" value={local} onChange={(e) => setLocal(e.target.value)} />
              <button type="submit" className={small} disabled={wanted === ''}>Show</button>
              <button type="button" className={small} disabled={wanted === ''} onClick={() => changes(wanted)}>Changes</button>
            </form>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
