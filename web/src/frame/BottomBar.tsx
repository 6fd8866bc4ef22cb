import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useConversations } from '../lib/conversations'
import { useProject } from '../lib/project'
import { statusQuery } from '../lib/status'
import { Icon } from '../ui/Icon'

/** places are the views that are one thumb away. */
const places = [{ to: '/today', name: 'Today', icon: 'today' }, { to: '/tickets', name: 'Tickets', icon: 'tickets' }, { to: '/approvals', name: 'Approvals', icon: 'approve' }, { to: '/chat', name: 'Chat', icon: 'chat' }] as const

const look = 'plain flex flex-1 flex-col items-center gap-0.5 px-1! py-1.5! text-xs text-muted! aria-[current=page]:text-accent! aria-expanded:text-accent!'

/** BottomBar is what a phone has for the rail: four views with what waits in them, and all of them. */
export function BottomBar(p: { listed: boolean; onMenu: () => void; onGone: () => void }) {
  const waiting = useQuery(statusQuery).data?.runs?.waiting ?? 0
  const unread = (useConversations(useProject()).data ?? []).reduce((n, c) => n + c.unread, 0)
  const counts: { [to: string]: number } = { '/approvals': waiting, '/chat': unread }
  return (
    <nav aria-label="Main" className="bottom-bar">
      {places.map((v) => (
        <Link key={v.to} to={v.to} onClick={p.onGone} activeProps={{ 'aria-current': 'page' }} activeOptions={{ includeSearch: false }} className={look}>
          <Icon of={v.icon} /><span>{v.name}{(counts[v.to] ?? 0) > 0 && <span className="ml-1 bg-warn px-1 text-bg">{counts[v.to]}</span>}</span>
        </Link>
      ))}
      <button type="button" aria-expanded={p.listed} aria-controls="views" className={look} onClick={p.onMenu}><Icon of="menu" /><span>Menu</span></button>
    </nav>
  )
}
