import { Link, RouterContextProvider, useNavigate } from '@tanstack/react-router'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { follow } from '../api/live'
import { count } from '../lib/count'
import { sizeFont, useFontSize } from '../lib/fontsize'
import { later } from '../lib/later'
import { nextTheme } from '../lib/look'
import { useMe } from '../lib/me'
import { useProjects } from '../lib/project'
import { statusQuery } from '../lib/status'
import { useForm } from '../lib/when'
import { Icon } from '../ui/Icon'
import { takeBack } from '../ui/toast'
import { nameOf, stale, views } from '../views'
import { BottomBar } from './BottomBar'
import { CommandLine } from './CommandLine'
import { closed, type Desk, grown, leaves, opened, stepped, toggled } from './desk'
import { Layouts } from './Layouts'
import { Navigation } from './Navigation'
import { useNarrow } from './narrow'
import { Others, Panes } from './Panes'
import { ProjectPicker } from './ProjectPicker'
import { change, routerOf, useDesk } from './store'
import { Unread } from './Unread'

const Keys = later(() => import('./Keys'), 'Keys')
const Preferences = later(() => import('./Preferences'), 'Preferences')
const Told = later(() => import('./Told'), 'Told')
const Tour = later(() => import('./Tour'), 'Tour')
const Toasts = later(() => import('../ui/Toasts'), 'Toasts')

/** patience is how long after `g` its letter may come, in milliseconds. */
const patience = 2_000

/** beside opens another pane that shows the same, to go elsewhere from. */
const beside = (way: 'row' | 'col') => () => change((d) => opened(d, d.hrefs[d.at] ?? '/', way), 'push')

/** single are the keys that do something by themselves. */
const single: { [key: string]: () => void } = {
  '+': () => sizeFont(1), '-': () => sizeFont(-1), '0': () => sizeFont(0), T: nextTheme,
  '\\': beside('row'), '|': beside('col'), ']': () => change((d) => stepped(d, 1)), '[': () => change((d) => stepped(d, -1)),
  '}': () => change((d) => grown(d, 5)), '{': () => change((d) => grown(d, -5)),
}

/** withAlt are the keys that do something to the pane together with Alt, by their place on the keyboard. */
const withAlt: { [code: string]: (d: Desk) => Desk } = {
  KeyX: (d) => closed(d, d.at),
  KeyZ: (d) => ({ ...d, whole: !d.whole && leaves(d.tree).length > 1 }),
  KeyL: (d) => (leaves(d.tree).length > 1 ? toggled(d, d.at) : d),
}

/** useFrameKeys moves by the keyboard: g and a letter goes to a view, ? shows the keys, Esc leaves a field, Ctrl Z takes back what was done last. */
function useFrameKeys(toggleHelp: () => void) {
  const navigate = useNavigate()
  const pressed = useRef(Number.NEGATIVE_INFINITY) // when g was pressed
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      const el = e.target as HTMLElement
      const writing = /^(INPUT|TEXTAREA|SELECT)$/.test(el.tagName)
      if (writing && e.key === 'Escape') el.blur()
      const pane = e.altKey && !e.ctrlKey && !e.metaKey ? withAlt[e.code] : undefined
      if (pane && !writing) {
        e.preventDefault()
        if (!e.repeat) change(pane, 'push')
      }
      if (!writing && (e.ctrlKey || e.metaKey) && !e.shiftKey && !e.altKey && e.key === 'z' && takeBack()) e.preventDefault()
      if (writing || e.ctrlKey || e.metaKey || e.altKey || ['Shift', 'AltGraph'].includes(e.key)) return
      if (e.timeStamp - pressed.current < patience) {
        pressed.current = Number.NEGATIVE_INFINITY
        const view = views.find((v) => v.key === e.key)
        e.preventDefault() // the letter is not for the view
        if (view) void navigate({ to: view.to } as never)
      } else if (e.key === 'g') pressed.current = e.timeStamp
      else if (e.key === '?') toggleHelp()
      else single[e.key]?.()
    }
    addEventListener('keydown', onKey, true) // before the views, which leave alone what is prevented
    return () => removeEventListener('keydown', onKey, true)
  }, [navigate, toggleHelp])
}

/** Shell is the frame of all panes. What it shows and does beside them is for the one that has the focus. */
export function Shell() {
  const desk = useDesk()
  return (
    <RouterContextProvider router={routerOf(desk.at) as never}>
      <Frame desk={desk} />
    </RouterContextProvider>
  )
}

function Frame({ desk }: { desk: Desk }) {
  const queries = useQueryClient()
  const [up, setUp] = useState(false)
  const [help, setHelp] = useState(false)
  const narrow = useNarrow()
  useFontSize()
  const [unfolded, setUnfolded] = useState(false) // the status line, where there is little room
  const [folded, setFolded] = useState<boolean>() // as the window's width suggests, until a person says
  const projects = useProjects().data
  const begun = projects === undefined || (projects.items ?? []).length > 0 // else nothing but the way to begin is shown
  const listed = begun && !(folded ?? narrow)
  const dates = useForm()
  const { data: status, error } = useQuery(statusQuery)
  const inside = status !== undefined
  const touring = useMe()?.tour?.over === false
  const name = nameOf((desk.hrefs[desk.at] ?? '/').split('?')[0] ?? '')
  const toggleHelp = useCallback(() => setHelp((h) => !h), [])
  useFrameKeys(toggleHelp)
  useEffect(() => {
    document.title = `${name} · Chela`
  }, [name])
  const stranger = error !== null && 'status' in error && error.status === 401
  useEffect(() => {
    if (stranger) return
    let was = false
    return follow(queries, stale, (t) => dispatchEvent(new CustomEvent('chela-tick', { detail: t })), (is) => {
      if (was && !is) void queries.invalidateQueries({ queryKey: statusQuery.queryKey }) // whoever was logged out is told so
      was = is
      setUp(is)
    })
  }, [queries, stranger])
  if (stranger) {
    return (
      <main className="login">
        <h1>Chela</h1>
        {new URLSearchParams(location.search).get('login') === 'closed' && <p role="alert" className="text-warn">That login link was used already, or it has ended. A link opens once, within the hour.</p>}
        <p>Nobody is logged in here. <code>chela login</code> prints a link that logs you in; with more than one data folder, name it by <code>--data</code>.</p>
        <p className="text-muted">You are not on that machine? Ask an admin for an invitation.</p>
      </main>
    )
  }
  const waiting = status?.runs?.waiting ?? 0
  const unpriced = status?.spend_today.unpriced ?? 0
  return (
    <div className={`shell ${listed ? 'listed' : ''}`}>
      <header>
        <button type="button" className="absolute -top-20 left-2 z-50 focus:top-2" onClick={() => document.querySelector<HTMLElement>(`[data-pane="${desk.at}"] .pane`)?.focus()}>To the view</button>
        <h1><button type="button" className="plain flex items-center gap-2" aria-expanded={listed} aria-controls="views" title={listed ? 'Hide the views' : 'Show the views'} onClick={() => setFolded(listed)}><Icon of="menu" />Chela</button></h1>
        {begun && <><ProjectPicker /><CommandLine /><Layouts /></>}
      </header>
      {listed && <Navigation onGone={() => narrow && setFolded(true)} />}
      <main>
        <Panes key={dates} desk={desk} />
      </main>
      <footer>
        <Others desk={desk} />
        <span role="status" className={`min-w-[11ch] ${up ? 'up' : 'danger'}`}>{up ? 'live' : 'connecting…'}</span>
        {narrow && <button type="button" className="plain" aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)}>status {unfolded ? '▾' : '▸'}</button>}
        {(!narrow || unfolded) && <>
        <span>{status?.models ? count(status.models, 'model') : 'no model: rules and computed tables only'}</span>
        <span>{status?.runs?.running ?? 0} running, {waiting > 0 ? <Link to="/approvals" className="underline">{waiting} waiting</Link> : '0 waiting'}</span>
        {inside && <Unread />}
        <span title={`Spent on models since midnight, UTC${unpriced > 0 ? `; the price of ${count(unpriced, 'call')} is not known` : ''}`}>{unpriced > 0 && 'at least '}{(status?.spend_today.cost_usd ?? 0).toFixed(4)} USD today</span>
        <span className="ml-auto flex gap-5">
          <span className="inline-block min-w-[8ch] text-right"><Preferences /></span>
          <button type="button" className="plain" onClick={toggleHelp}>keys <kbd>?</kbd></button>
        </span>
        </>}
      </footer>
      {narrow && begun && <BottomBar listed={listed} onMenu={() => setFolded(listed)} onGone={() => setFolded(true)} />}
      {help && <Keys pane={desk.at} onClose={() => setHelp(false)} />}
      <Toasts />
      {inside && <Told />}
      {touring && <Tour />}
    </div>
  )
}
