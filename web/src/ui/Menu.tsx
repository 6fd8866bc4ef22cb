import { Menu as Base } from '@base-ui/react/menu'
import type { ReactNode } from 'react'

/** Group is some choices of a menu of which one holds. */
export type Group = { name: string; of: { value: string; title: string; hint?: string }[]; value: string; onChange: (to: string) => void }

/** Menu is a button with groups of choices; one of each group holds. The arrows move, a letter goes to what begins with it. */
export function Menu(p: { shows: ReactNode; className?: string; groups: Group[] }) {
  return (
    <Base.Root>
      <Base.Trigger className={p.className}>{p.shows}</Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={6} align="end" className="z-50">
          <Base.Popup className="min-w-64 border border-faint bg-panel py-1 text-text outline-none!">
            {p.groups.map((g) => (
              <Base.RadioGroup key={g.name} value={g.value} onValueChange={(v) => g.onChange(String(v))} className="py-1">
                <Base.Group>
                  <Base.GroupLabel className="px-3 py-0.5 text-sm text-accent">{g.name}</Base.GroupLabel>
                  {g.of.map((c) => (
                    <Base.RadioItem key={c.value} value={c.value} closeOnClick className="flex cursor-pointer items-baseline gap-2 px-3 py-0.5 outline-none! data-highlighted:bg-selected data-highlighted:text-strong">
                      <span aria-hidden="true" className="w-[2ch] text-link">{c.value === g.value ? '✓' : ''}</span>
                      <span className="flex-1">{c.title}</span>
                      {c.hint && <span className="text-sm text-faint">{c.hint}</span>}
                    </Base.RadioItem>
                  ))}
                </Base.Group>
              </Base.RadioGroup>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
