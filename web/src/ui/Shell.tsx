import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api, must } from '../api/client'
import { follow } from '../api/live'
import { ProjectPicker } from './ProjectPicker'

/** views are the page's places, each with the key that follows `g`. */
export const views = [
  { to: '/', name: 'Intake', key: 'i' },
  { to: '/threads', name: 'Threads', key: 't' },
  { to: '/tickets', name: 'Tickets', key: 'k' },
  { to: '/people', name: 'People', key: 'p' },
  { to: '/objectives', name: 'Objectives', key: 'o' },
  { to: '/deltas', name: 'Delta packs', key: 'd' },
  { to: '/ask', name: 'Ask', key: 'a' },
  { to: '/chat', name: 'Chat', key: 'c' },
  { to: '/runs', name: 'Runs', key: 'r' },
  { to: '/agents', name: 'Agents', key: 'g' },
  { to: '/log', name: 'Log', key: 'l' },
] as const

/** useKeys moves by the keyboard: g and a letter goes to a view, ? shows the keys. */
function useKeys(toggleHelp: () => void) {
  const navigate = useNavigate()
  const pending = useRef(false)
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      const el = e.target as HTMLElement
      if (/^(INPUT|TEXTAREA|SELECT)$/.test(el.tagName) || e.ctrlKey || e.metaKey || e.altKey) return
      if (pending.current) {
        pending.current = false
        const view = views.find((v) => v.key === e.key)
        if (view) void navigate({ to: view.to, search: (old: object) => old } as never)
      } else if (e.key === 'g') pending.current = true
      else if (e.key === '?') toggleHelp()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate, toggleHelp])
}

/** Shell is the frame of every view: navigation, project, connection. */
export function Shell() {
  const queries = useQueryClient()
  const [up, setUp] = useState(false)
  const [help, setHelp] = useState(false)
  const { data: status, error } = useQuery({ queryKey: ['run', 'status'], queryFn: () => must(api.GET('/api/status')) })
  useKeys(() => setHelp((h) => !h))
  useEffect(() => follow(queries, (t) => dispatchEvent(new CustomEvent('chela-tick', { detail: t })), setUp), [queries])
  if (error && 'status' in error && error.status === 401) {
    return (
      <main className="login">
        <h1>Chela</h1>
        <p>Nobody is logged in. Open a login link: the daemon printed one when it started, and <code>chela login</code> prints another.</p>
      </main>
    )
  }
  return (
    <div className="shell">
      <nav aria-label="Views">
        <h1>Chela</h1>
        <ProjectPicker />
        {views.map((v) => (
          <Link key={v.to} to={v.to} search={((old: object) => old) as never} activeProps={{ 'aria-current': 'page' }} activeOptions={{ exact: v.to === '/', includeSearch: false }}>
            {v.name} <kbd>g {v.key}</kbd>
          </Link>
        ))}
      </nav>
      <main>
        <Outlet />
      </main>
      <footer>
        <span className={up ? 'good' : 'bad'}>{up ? 'live' : 'connecting…'}</span>
        <span>{status?.models ? `${status.models} model${status.models > 1 ? 's' : ''}` : 'no model: rules and computed tables only'}</span>
        <span>{status?.runs?.running ?? 0} running, {status?.runs?.waiting ?? 0} waiting</span>
        <span>{(status?.spend.cost_usd ?? 0).toFixed(4)} USD</span>
        <span>? for keys</span>
      </footer>
      {help && (
        <dialog open aria-label="Keys">
          <h2>Keys</h2>
          {views.map((v) => (
            <p key={v.key}><kbd>g</kbd> <kbd>{v.key}</kbd> {v.name}</p>
          ))}
          <p><kbd>Ctrl</kbd> <kbd>Enter</kbd> send what you wrote</p>
          <button type="button" onClick={() => setHelp(false)}>Close <kbd>?</kbd></button>
        </dialog>
      )}
    </div>
  )
}
