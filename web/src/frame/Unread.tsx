import { useNavigate } from '@tanstack/react-router'
import { nextUnread, useConversations } from '../lib/conversations'
import { useKeys } from '../lib/pane'
import { usePlace, useProject } from '../lib/project'

/** Unread tells how much is new in the project's conversations, and goes to the next that has something. */
export function Unread() {
  const navigate = useNavigate()
  const project = useProject()
  const [{ thread = '' }] = usePlace()
  const all = useConversations(project).data ?? []
  const next = nextUnread(all, thread)
  const news = all.reduce((n, c) => n + c.unread, 0)
  const go = () => next && void navigate({ to: '/chat', search: { project, thread: next.id } } as never)
  useKeys([{ key: 'U', does: 'the next conversation with something new', act: go }])
  if (news === 0) return null
  return <button type="button" className="plain text-accent!" onClick={go}><span data-testid="unread">{news}</span> new <kbd>U</kbd></button>
}
