import { Command } from 'cmdk'
import { useState } from 'react'
import { Dialog } from './Dialog'

/** Offer is something to choose: its value, how it is called, what is beside it. */
export type Offer = { value: string; title: string; hint?: string; words?: string }

/** keyOf tells an offer from the others. */
const keyOf = (o: Offer) => `${o.value} ${o.title}`

/**
 * Chooser has one thing chosen out of a list, by a few letters of its name and Enter. read makes
 * an offer of what is typed; search is told what is typed, where the list comes from elsewhere.
 */
export function Chooser(p: { title: string; hint: string; of: Offer[]; value?: string; read?: (text: string) => Offer | undefined; search?: (text: string) => void; onChoose: (value: string) => void; onClose: () => void; children?: React.ReactNode }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState('')
  const read = p.read?.(text)
  const offers = read ? [read, ...p.of.filter((o) => o.value !== read.value)] : p.of
  const keys = (p.search ? offers : fitting(offers, text, read)).map(keyOf) // the list may come after the letters
  return (
    <Dialog title={p.title} onClose={p.onClose}>
      <Command
        label={p.title} shouldFilter={!p.search} value={keys.includes(chosen) ? chosen : (keys[0] ?? '')} onValueChange={setChosen}
        filter={(value, search) => (read && value === keyOf(read) ? 2 : fitting(offers, search, read).some((o) => keyOf(o) === value) ? 1 : 0)}
      >
        {p.children}
        <Command.Input autoFocus aria-label={p.title} placeholder={p.hint} className="w-full" value={text} onValueChange={(v) => {
          setText(v)
          setChosen('') // the likeliest
          p.search?.(v)
        }} />
        <Command.List aria-label="Offers" className="mt-2 max-h-[50vh] overflow-y-auto">
          <Command.Empty className="px-2 py-1 text-muted">Nothing fits.</Command.Empty>
          {offers.map((o) => (
            <Command.Item key={o.value} value={keyOf(o)} onSelect={() => p.onChoose(o.value)} className="flex cursor-pointer items-baseline gap-3 px-2 py-1 data-[selected=true]:bg-selected data-[selected=true]:text-strong">
              <span aria-hidden="true" className="w-[2ch] shrink-0 text-link">{o.value === p.value ? '✓' : ''}</span>
              <span className="min-w-0 flex-1 truncate">{o.title}</span>
              {o.hint && <span className="shrink-0 text-sm text-muted">{o.hint}</span>}
            </Command.Item>
          ))}
        </Command.List>
      </Command>
    </Dialog>
  )
}

/** fitting are the offers that what is typed may mean, in their order; what is read from it is one. */
export function fitting(all: Offer[], typed: string, read?: Offer): Offer[] {
  return all.filter((o) => o === read || [keyOf(o), o.title, o.words ?? ''].some((w) => fits(w, typed)))
}

/** fits says whether the letters that are typed are in a text in their order, the first at the beginning of a word. */
export function fits(text: string, typed: string): boolean {
  const letters = typed.toLowerCase().replace(/\s+/g, '')
  if (letters === '') return true
  const low = text.toLowerCase()
  for (const m of low.matchAll(/[\p{L}\p{N}]+/gu)) {
    let at = 0
    for (const c of low.slice(m.index)) if (c === letters[at]) at++
    if (at === letters.length && low[m.index] === letters[0]) return true
  }
  return false
}
