import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { useConversations } from '../lib/conversations'
import { failedQuery, lately } from '../lib/failed'
import { useFilters } from '../lib/filters'
import { useInbox } from '../lib/inbox'
import { useProject } from '../lib/project'
import { statusQuery } from '../lib/status'
import { rail } from '../views'

/** foldedKey is where this browser keeps which groups are folded. */
const foldedKey = 'chela-rail'

/** Count is how many things of a view wait for somebody, and what they are. */
type Count = { n: number; what: string; look: string }

/** useCounts are the counts of the rail, by the path of the view. */
function useCounts(): { [to: string]: Count } {
  const waiting = useQuery(statusQuery).data?.runs?.waiting ?? 0
  const unread = (useConversations(useProject()).data ?? []).reduce((n, c) => n + c.unread, 0)
  const inbox = useInbox().data?.unread ?? 0
  const failed = lately(useQuery(failedQuery).data ?? []).length
  return {
    '/inbox': { n: inbox, what: 'unread', look: 'bg-link text-bg' },
    '/approvals': { n: waiting, what: 'waiting', look: 'bg-warn text-bg' },
    '/chat': { n: unread, what: 'unread', look: 'bg-link text-bg' },
    '/runs': { n: failed, what: 'failed within a day', look: 'bg-danger text-bg' },
  }
}

/** Navigation lists the views of a day in groups that fold; a click goes there in the pane that has the focus. It has its place at once, and what is in it is drawn after the view. */
export function Navigation({ onGone }: { onGone: () => void }) {
  const drawn = useDeferredValue(true, false)
  return <nav aria-label="Views" id="views">{drawn && <Groups onGone={onGone} />}</nav>
}

function Groups({ onGone }: { onGone: () => void }) {
  const counts = useCounts()
  const [folded, setFolded] = useState<string[]>(() => (localStorage.getItem(foldedKey) ?? '').split(',').filter(Boolean))
  const toggle = (name: string) => {
    const next = folded.includes(name) ? folded.filter((f) => f !== name) : [...folded, name]
    localStorage.setItem(foldedKey, next.join(','))
    setFolded(next)
  }
  return (
    <>
      {rail.map((g) => {
        const open = !folded.includes(g.name)
        const sum = g.views.reduce((n, v) => n + (counts[v.to]?.n ?? 0), 0)
        return (
          <section key={g.name} aria-label={g.name} className="mb-3">
            <button type="button" aria-expanded={open} className="plain flex w-full items-baseline gap-2 px-2! py-0.5! text-left text-sm text-accent!" onClick={() => toggle(g.name)}>
              <span aria-hidden="true" className="text-faint">{open ? '▾' : '▸'}</span>{g.name}
              {!open && sum > 0 && <span className="ml-auto text-warn">{sum}</span>}
            </button>
            {open && g.views.map((v) => (
              <div key={v.to}>
                <Link to={v.to} onClick={onGone} activeProps={{ 'aria-current': 'page' }} activeOptions={{ exact: v.to === '/', includeSearch: false }}>
                  <span className="min-w-0 flex-1 truncate pl-4">{v.name}</span>
                  <Badge of={counts[v.to]} />
                  <kbd>g {v.key}</kbd>
                </Link>
                {v.to === '/tickets' && <Filters onGone={onGone} />}
              </div>
            ))}
          </section>
        )
      })}
      <Link to="/views" onClick={onGone} activeProps={{ 'aria-current': 'page' }}><span className="flex-1 pl-4">All views</span><kbd>Ctrl K</kbd></Link>
    </>
  )
}

function Badge({ of }: { of: Count | undefined }) {
  if (!of || of.n === 0) return null
  return <span className={`self-center px-1 text-xs leading-[1.35] ${of.look}`}>{of.n}<span className="sr-only"> {of.what}</span></span>
}

/** Filters are the filters of tickets that the person saved, under the tickets. */
function Filters({ onGone }: { onGone: () => void }) {
  const project = useProject()
  return useFilters().map((f) => (
    <Link key={f.name} to={f.to} search={{ ...f.search, project } as never} onClick={onGone} activeOptions={{ exact: true, includeSearch: true }} activeProps={{ 'aria-current': 'page' }} className="text-muted!">
      <span className="truncate pl-8">{f.name}</span>
    </Link>
  ))
}
