import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { pasteAtOnce } from '../lib/paste'
import { useProject } from '../lib/project'
import { type Tour as At, useTour, wasMoved } from '../lib/tour'
import { toast } from '../ui/toast'
import { nameOf } from '../views'
import { now } from './store'
import { clear, minutes, type Rect, type Step, steps, type Where } from './tour'

/** beat is how often is looked where a step's target is, in milliseconds. */
const beat = 150
const gap = 16 // pixels between the words and the border of the view

/** Seen is what is seen of a step: where its target is, whether it is done, and whether another view is shown; then its target is the way there. */
type Seen = { target: Rect | undefined; done: boolean; away: boolean }

/** whereNow is where the window is at this instant. */
function whereNow(project: string, queries: Where['queries']): Where {
  const desk = now()
  const url = new URL(desk.hrefs[desk.at] ?? '/', location.origin)
  return { path: url.pathname, search: url.searchParams, project, queries }
}

/** found is the first of some elements that is in sight or can be. */
function found(at: string[]): HTMLElement | undefined {
  for (const selector of at) {
    const el = document.querySelector<HTMLElement>(selector)
    if (el && el.getClientRects().length > 0) return el
  }
  return undefined
}

const same = (a: Seen, b: Seen) => a.done === b.done && a.away === b.away && JSON.stringify(a.target) === JSON.stringify(b.target)

/** useSeen looks where a step's target is and whether the step is done, as long as it is shown. A field is given the focus once. */
function useSeen(step: Step): Seen {
  const queries = useQueryClient()
  const project = useProject()
  const [seen, setSeen] = useState<Seen>({ target: undefined, done: false, away: false })
  useEffect(() => {
    let began = step.begin
    let done = false
    let last: HTMLElement | undefined
    const look = () => {
      const where = whereNow(project, queries)
      const measured = step.measure(where)
      began ??= measured
      done ||= measured !== undefined && began !== undefined && measured > began
      const there = found(step.at)
      const away = !there && where.path !== step.to
      const el = there ?? (away ? found([`nav a[href="${step.to}"]`, `nav a[href^="${step.to}?"]`]) : undefined)
      if (el && el !== last) {
        el.scrollIntoView({ block: 'nearest' })
        if (el.matches('input, textarea')) el.focus()
      }
      last = el
      const box = el?.getBoundingClientRect()
      const next: Seen = { done, away, target: box && { left: box.left, top: box.top, width: box.width, height: Math.min(box.height, innerHeight - box.top) } }
      setSeen((was) => (same(was, next) ? was : next))
    }
    const timer = setInterval(look, beat)
    addEventListener('scroll', look, true)
    addEventListener('resize', look)
    return () => {
      clearInterval(timer)
      removeEventListener('scroll', look, true)
      removeEventListener('resize', look)
    }
  }, [step, project, queries])
  return seen
}

/** usePlace is where the words of a step are: in a corner of the view that does not cover its target. */
function usePlace(box: React.RefObject<HTMLElement | null>, target: Rect | undefined): { left: number; top: number } | undefined {
  const [place, setPlace] = useState<{ left: number; top: number }>()
  useEffect(() => {
    const main = document.querySelector('main')?.getBoundingClientRect()
    if (!main || !box.current) return
    const { offsetWidth: width, offsetHeight: height } = box.current
    const [left, right] = [main.left + gap, main.right - width - gap]
    const [top, bottom] = [main.top + gap * 2.5, main.bottom - height - gap]
    const at = clear([{ left, top: bottom }, { left: right, top: bottom }, { left: right, top }, { left, top }].map((p) => ({ ...p, width, height })), target)
    if (at && (at.left !== place?.left || at.top !== place?.top)) setPlace({ left: at.left, top: at.top })
  })
  return place
}

/** Tour leads through the page in five steps, each at the place where it is done; it can be left at any of them. */
export function Tour() {
  const { tour, move } = useTour()
  if (!tour || tour.over) return null
  const step = steps[tour.step - 1]
  return step ? <Shown key={tour.step} at={tour} step={step} move={move} /> : null
}

function Shown({ at, step, move }: { at: At; step: Step; move: (to: At) => void }) {
  const navigate = useNavigate()
  const { target, done, away } = useSeen(step)
  const box = useRef<HTMLElement>(null)
  const place = usePlace(box, target)
  const last = at.step === steps.length
  const go = useRef<() => void>(() => undefined)
  go.current = () => void navigate({ to: step.to, search: step.search ?? {} } as never)
  useEffect(() => {
    if (wasMoved()) go.current()
  }, [])
  const leave = () => {
    move({ step: at.step, over: true })
    toast(last ? 'That was the tour. Ctrl K and TOUR begin it again.' : 'You left the tour. Ctrl K and TOUR begin it again.')
  }
  const next = () => (last ? leave() : move({ step: at.step + 1, over: false }))
  const before = () => at.step > 1 && move({ step: at.step - 1, over: false })
  const paste = () => {
    pasteAtOnce(minutes(new Date()))
    go.current()
  }
  const keys: { [code: string]: () => void } = { KeyN: next, KeyB: before, KeyQ: leave, ...(away && { KeyG: go.current }), ...(step.paste && { KeyM: paste }) }
  const held = useRef(keys)
  held.current = keys
  useLayoutEffect(() => { // before the step is seen, so that no key is lost
    const onKey = (e: KeyboardEvent) => {
      const act = e.altKey && !e.ctrlKey && !e.metaKey && !e.shiftKey ? held.current[e.code] : undefined
      if (!act || e.repeat) return
      e.preventDefault()
      act()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      {target && <div aria-hidden="true" data-testid="tour-target" className="pointer-events-none fixed z-30 border-2 border-accent" style={{ left: target.left - 4, top: target.top - 4, width: target.width + 8, height: target.height + 8 }} />}
      <aside ref={box} aria-label="Tour" style={place ?? { left: 0, top: 0, visibility: 'hidden' }} className="fixed z-40 w-[46ch] max-w-[94vw] border-2 border-accent bg-panel px-4 py-3">
        <div aria-live="polite">
          <p className="m-0! flex items-baseline gap-3"><b>{step.name}</b> <span className="text-muted">step {at.step} of {steps.length}</span> {done && <span className="ml-auto text-up" data-sign="✓">done</span>}</p>
          <p className="my-2!">{!target && !away && step.missing ? step.missing : step.says}</p>
        </div>
        <ul className="m-0 list-none p-0">
          {away && <li className="flex items-baseline gap-3"><kbd className="w-[11ch] shrink-0">Alt G</kbd><button type="button" className="plain text-link!" onClick={() => go.current()}>go there: {nameOf(step.to)}</button></li>}
          {step.paste && !away && <li className="flex items-baseline gap-3"><kbd className="w-[11ch] shrink-0">Alt M</kbd><button type="button" className="plain text-link!" onClick={paste}>put minutes of a meeting there</button></li>}
          {step.keys.map(([key, does]) => <li key={key} className="flex items-baseline gap-3"><kbd className="w-[11ch] shrink-0">{key}</kbd><span>{does}</span></li>)}
        </ul>
        <p className="mt-3! mb-0! flex flex-wrap gap-2">
          <button type="button" className={done ? 'primary px-2 py-0' : 'px-2 py-0'} onClick={next}>{last ? 'Finish' : 'Next'} <kbd>Alt N</kbd></button>
          {at.step > 1 && <button type="button" className="px-2 py-0" onClick={before}>Before <kbd>Alt B</kbd></button>}
          <button type="button" className="ml-auto px-2 py-0" onClick={leave}>Leave <kbd>Alt Q</kbd></button>
        </p>
      </aside>
    </>
  )
}
