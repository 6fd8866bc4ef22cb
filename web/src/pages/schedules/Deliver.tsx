import { useQuery } from '@tanstack/react-query'
import { api, must, type Schemas } from '../../api/client'
import { conversationsQuery } from '../../lib/conversations'

type To = Schemas['DeliverTo']
type Chat = Schemas['ChannelPlace']

/** said is a destination as a choice has it. */
export function said(to: To | undefined): string {
  switch (to?.to) {
    case 'CONVERSATION':
      return JSON.stringify({ to: to.to, threadId: to.threadId })
    case 'CHAT':
      return JSON.stringify({ to: to.to, channel: to.channel, chat: to.chat, branch: to.branch ?? '' })
    case 'INBOX':
      return JSON.stringify({ to: to.to })
    default:
      return ''
  }
}

/** meant is the destination of a choice. */
export const meant = (choice: string): To => (choice ? (JSON.parse(choice) as To) : { to: '' })

/** named says where answers go, in a few words. */
export function named(to: To | undefined): string {
  switch (to?.to) {
    case 'CONVERSATION':
      return 'a conversation'
    case 'CHAT':
      return `the chat ${to.chat} of ${to.channel}`
    case 'INBOX':
      return 'an inbox'
    default:
      return ''
  }
}

const of = (c: Chat): To => ({ to: 'CHAT', channel: c.channel, chat: c.chat, branch: c.branch })

/** Deliver chooses where the answers of a schedule go: nowhere, the inbox, a chat, or a conversation. */
export function Deliver({ value, onValue }: { value: string; onValue: (choice: string) => void }) {
  const chats = useQuery({ queryKey: ['channel', 'chats'], queryFn: () => must(api.GET('/api/chats')) })
  const conversations = useQuery(conversationsQuery(''))
  const talks = (conversations.data ?? []).filter((c) => !c.closed && c.channel !== 'schedule').map((c) => ({ choice: said({ to: 'CONVERSATION', threadId: c.id }), name: c.title || c.id }))
  const places = (chats.data ?? []).map((c) => ({ choice: said(of(c)), name: `${c.channel}: ${c.title || c.chat}` }))
  const known = ['', said({ to: 'INBOX' }), ...talks.map((t) => t.choice), ...places.map((p) => p.choice)].includes(value)
  return (
    <label className="text-muted">answers go to{' '}
      <select aria-label="Answers go to" className="max-w-[32ch]" value={value} onChange={(e) => onValue(e.target.value)}>
        <option value="">nowhere: they stay with the run</option>
        <option value={said({ to: 'INBOX' })}>my inbox</option>
        {!known && <option value={value}>{named(meant(value))}</option>}
        {places.length > 0 && <optgroup label="Chats">{places.map((p) => <option key={p.choice} value={p.choice}>{p.name}</option>)}</optgroup>}
        {talks.length > 0 && <optgroup label="Conversations">{talks.map((t) => <option key={t.choice} value={t.choice}>{t.name}</option>)}</optgroup>}
      </select>
    </label>
  )
}
