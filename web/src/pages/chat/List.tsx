import { useDeferredValue, useState } from 'react'
import { type Conversation, untitled, useConversations } from '../../lib/conversations'
import { useKeys } from '../../lib/pane'
import { useRows } from '../../lib/rows'
import { shortly } from '../../lib/when'
import { useWho } from '../../lib/who'
import { State } from '../../ui/State'

/** List is the conversations of a project, the latest first. */
export function List(p: { project: string; thread: string; onOpen: (id: string) => void; onNew: () => void }) {
  const [words, setWords] = useState('')
  const sought = useDeferredValue(words.trim().toLowerCase())
  const q = useConversations(p.project)
  const who = useWho()
  const all = (q.data ?? []).filter((c) => sought === '' || `${c.title} ${who(c.agent)} ${who(c.person)}`.toLowerCase().includes(sought))
  const { row } = useRows(all.map((c) => c.id), { Enter: { does: 'open the conversation', act: p.onOpen } })
  useKeys([{ key: 'n c', does: 'begin a conversation', act: p.onNew }])
  return (
    <>
      <div className="flex items-center gap-2 border-b border-line px-3 py-2">
        <h2 className="m-0! flex-1">Chat</h2>
        <button type="button" className="primary px-2 py-0.5" onClick={p.onNew}>New <kbd>n</kbd></button>
      </div>
      <input aria-label="Words in conversations" placeholder="Find a conversation" value={words} onChange={(e) => setWords(e.target.value)} className="border-0! border-b! border-line bg-transparent! px-3!" />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="px-3 py-1 empty:hidden">
          <State pending={q.isPending} error={q.error} empty={all.length === 0} hint={words ? 'No conversation has these words.' : 'No conversations yet. New begins one.'}>{null}</State>
        </div>
        {all.map((c) => {
          const { className, ...place } = row(c.id)
          return <Entry key={c.id} of={c} open={c.id === p.thread} who={who} place={place} className={className} onOpen={() => p.onOpen(c.id)} />
        })}
      </div>
    </>
  )
}

type Place = Omit<ReturnType<ReturnType<typeof useRows>['row']>, 'className'>

function Entry(p: { of: Conversation; open: boolean; who: (id: string | undefined) => string; place: Place; className: string | undefined; onOpen: () => void }) {
  const { of: c } = p
  return (
    <button
      type="button"
      {...p.place}
      onClick={p.onOpen}
      className={`block w-full border-0! border-b! border-line/60 px-3! py-1.5! text-left text-text! outline-offset-[-2px]! ${p.open ? 'bg-selected!' : 'bg-transparent!'} ${p.className ?? ''}`}
    >
      <span className="flex gap-2">
        <span className={`min-w-0 flex-1 truncate ${c.unread > 0 ? 'font-bold' : ''}`}>{c.title || untitled}</span>
        {c.unread > 0 && <span className="self-center bg-accent px-1 text-xs leading-[1.3] text-bg">{c.unread}<span className="sr-only"> new</span></span>}
        <span className="text-xs text-muted">{shortly(c.updated_at)}</span>
      </span>
      <span className="flex gap-2 truncate text-xs text-muted">
        {p.who(c.person)}{c.agent ? ` with ${p.who(c.agent)}` : ''}{c.closed ? ' · closed' : ''}
      </span>
    </button>
  )
}
