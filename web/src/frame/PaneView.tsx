import { RouterProvider } from '@tanstack/react-router'
import { memo, useCallback, useEffect, useMemo, useRef } from 'react'
import { spanOf } from '../lib/moment'
import { type Pane, PaneContext, type Subject } from '../lib/pane'
import { placeAt, views } from '../views'
import { Icon } from '../ui/Icon'
import { Tip } from '../ui/Tip'
import { closed, type Desk, opened, picked, shownBeside, toggled } from './desk'
import { useNarrow } from './narrow'
import { change, routerOf } from './store'

/** codeOf is the code of the view at an address, or what kind of thing is there. */
export function codeOf(href: string): string {
  const path = href.split('?')[0] ?? ''
  const code = views.find((v) => v.to === path)?.code
  return code ?? (placeAt(path) ? (path.split('/')[1] ?? '').toUpperCase().slice(0, 6) : '')
}

function Act(p: { name: string; keys: string; icon: 'beside' | 'below' | 'whole' | 'close' | 'link'; pressed?: boolean; act: () => void }) {
  return (
    <Tip text={p.name} keys={p.keys}>
      <button type="button" aria-label={p.name} aria-pressed={p.pressed} onClick={p.act} className="plain grid size-6 place-items-center text-muted! aria-pressed:text-link! hover:text-strong!">
        <Icon of={p.icon} />
      </button>
    </Tip>
  )
}

/** Span is the range or the moment that the view at an address shows, in words. */
function Span({ href }: { href: string }) {
  const { words, past } = spanOf(href)
  return words === '' ? null : <span data-testid="span" title={words} className={`ml-2 min-w-0 truncate ${past ? 'text-warn' : 'text-accent'}`}>{words}</span>
}

/** Inside is the view of a pane; it is drawn anew only when its router says so. */
const Inside = memo(function Inside(p: { pane: string }) {
  return <RouterProvider router={routerOf(p.pane) as never} />
})

/** PaneView is one pane: what is in it, and the buttons that divide, link and close it. */
export function PaneView({ pane, desk, alone }: { pane: string; desk: Desk; alone: boolean }) {
  const scroller = useRef<HTMLDivElement>(null)
  const focused = desk.at === pane
  const narrow = useNarrow()
  const href = desk.hrefs[pane] ?? '/'
  const linked = desk.linked.includes(pane)
  const pick = useCallback((s: Subject) => change((d) => picked(d, pane, s)), [pane])
  const beside = useCallback((to: string) => change((d) => shownBeside(d, pane, to), 'push'), [pane])
  const context = useMemo<Pane>(() => ({ id: pane, focused, scroller: () => scroller.current, pick, beside }), [pane, focused, pick, beside])
  useEffect(() => {
    if (focused && !scroller.current?.contains(document.activeElement) && document.activeElement?.closest('[data-pane]')) scroller.current?.focus()
  }, [focused])
  const take = () => {
    if (!focused) change((d) => ({ ...d, at: pane }))
  }
  const here = (to: (d: Desk) => Desk) => () => change((d) => to({ ...d, at: pane }), 'push')
  return (
    <section data-pane={pane} aria-label={`Pane ${codeOf(href)}`} aria-current={!alone && focused ? 'true' : undefined} onFocusCapture={take} onPointerDownCapture={take} className="group/pane flex size-full min-h-0 min-w-0 flex-col bg-bg">
      <div className="flex shrink-0 items-center gap-1 border-b border-line bg-panel px-3 group-aria-[current=true]/pane:border-accent">
        <span className={focused && !alone ? 'text-accent' : 'text-muted'}>{codeOf(href)}</span>
        <Span href={href} />
        <span className="ml-auto flex shrink-0">
          {!alone && !narrow && <Act name={linked ? 'Let this pane go its own way' : 'Link this pane with the others'} keys="Alt L" icon="link" pressed={linked} act={() => change((d) => toggled(d, pane))} />}
          {!narrow && <Act name="Divide beside" keys="\" icon="beside" act={here((d) => opened(d, d.hrefs[d.at] ?? '/', 'row'))} />}
          {!narrow && <Act name="Divide below" keys="|" icon="below" act={here((d) => opened(d, d.hrefs[d.at] ?? '/', 'col'))} />}
          {!alone && !narrow && <Act name="This pane alone" keys="Alt Z" icon="whole" pressed={desk.whole} act={() => change((d) => ({ ...d, at: pane, whole: !d.whole }))} />}
          {!alone && <Act name="Close the pane" keys="Alt X" icon="close" act={() => change((d) => closed(d, pane), 'push')} />}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
      <div ref={scroller} tabIndex={0} data-testid="pane" className="pane @container relative min-h-0 flex-1 overflow-auto -outline-offset-2!">
        <PaneContext value={context}>
          <Inside pane={pane} />
        </PaneContext>
      </div>
    </section>
  )
}
