import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { api, must } from '../api/client'
import { follow } from '../api/live'
import { count } from '../lib/count'
import { nextTheme, resize } from '../lib/look'
import { groups, nameOf, views } from '../lib/views'
import { CommandLine } from './CommandLine'
import { Keys } from './Keys'
import { ProjectPicker } from './ProjectPicker'
import { Rail } from './Rail'

/** patience is how long after `g` its letter may come, in milliseconds. */
const patience = 2_000

/** single are the keys that do something by themselves. */
const single: { [key: string]: () => void } = { '+': () => resize(1), '-': () => resize(-1), '0': () => resize(0), T: () => void nextTheme() }

/** useKeys moves by the keyboard: g and a letter goes to a view, ? shows the keys, Esc leaves a field. */
function useKeys(toggleHelp: () => void) {
  const navigate = useNavigate()
  const pressed = useRef(Number.NEGATIVE_INFINITY) // when g was pressed
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      const el = e.target as HTMLElement
      const writing = /^(INPUT|TEXTAREA|SELECT)$/.test(el.tagName)
      if (writing && e.key === 'Escape') el.blur()
      if (writing || e.ctrlKey || e.metaKey || e.altKey) return
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

/** Shell is the frame of every view: navigation, project, connection. */
export function Shell() {
  const queries = useQueryClient()
  const [up, setUp] = useState(false)
  const [help, setHelp] = useState(false)
  const { data: status, error } = useQuery({ queryKey: ['run', 'status'], queryFn: () => must(api.GET('/api/status')) })
  const inside = status !== undefined
  const name = useRouterState({ select: (s) => nameOf(s.location.pathname) })
  const toggleHelp = useCallback(() => setHelp((h) => !h), [])
  useKeys(toggleHelp)
  useEffect(() => {
    document.title = `${name} · Chela`
  }, [name])
  useEffect(() => (inside ? follow(queries, (t) => dispatchEvent(new CustomEvent('chela-tick', { detail: t })), setUp) : undefined), [queries, inside])
  if (error && 'status' in error && error.status === 401) {
    return (
      <main className="login">
        <h1>Chela</h1>
        <p>Nobody is logged in. Open a login link: the daemon printed one when it started, and <code>chela login</code> prints another.</p>
      </main>
    )
  }
  const waiting = status?.runs?.waiting ?? 0
  return (
    <div className="shell">
      <header>
        <h1>Chela</h1>
        <ProjectPicker />
        <CommandLine />
      </header>
      <nav aria-label="Views">
        <Rail />
        {groups.map((g) => (
          <div key={g.name} className="group">
            <span className="muted" aria-hidden="true">{g.name}</span>
            {g.views.map((v) => (
              <Link key={v.to} to={v.to} activeProps={{ 'aria-current': 'page' }} activeOptions={{ exact: v.to === '/', includeSearch: false }}>
                {v.name} <kbd>g {v.key}</kbd>
              </Link>
            ))}
          </div>
        ))}
      </nav>
      <main>
        <Outlet />
      </main>
      <footer>
        <span role="status" className={up ? 'good' : 'bad'}>{up ? 'live' : 'connecting…'}</span>
        <span>{status?.models ? count(status.models, 'model') : 'no model: rules and computed tables only'}</span>
        <span>{status?.runs?.running ?? 0} running, {waiting > 0 ? <Link to="/approvals">{waiting} waiting</Link> : '0 waiting'}</span>
        <span>{(status?.spend.cost_usd ?? 0).toFixed(4)} USD</span>
        <button type="button" className="plain" onClick={nextTheme}>look <kbd>T</kbd></button>
        <button type="button" className="plain" onClick={toggleHelp}>keys <kbd>?</kbd></button>
      </footer>
      {help && <Keys onClose={() => setHelp(false)} />}
    </div>
  )
}
