import { useQueryClient, useMutation } from '@tanstack/react-query'
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react'
import { api } from '../../api/client'
import { agentName, useAgents } from '../../lib/agents'
import { change } from '../../lib/change'
import { mentionedIn, mentioning, type Somebody, suiting } from '../../lib/mention'
import { useKeys } from '../../lib/pane'
import { useUnsaved } from '../../lib/unsaved'
import { usePersons } from '../../lib/who'
import { Agent } from '../../ui/Agent'
import { Person } from '../../ui/Person'
import { Failed } from '../../ui/State'

/** useSomebody are the persons and agents that a comment may mention. */
function useSomebody(): Somebody[] {
  const persons = usePersons().data ?? []
  const agents = useAgents().data ?? []
  return [
    ...persons.filter((p) => p.enabled).map((p) => ({ name: p.name, agent: false, about: p.role })),
    ...agents.filter((a) => a.enabled).map((a) => ({ name: agentName(a), agent: true, about: a.card.display.desc ?? '' })),
  ]
}

/** Say is where a comment is written, in Markdown; @ names a person or an agent, who is told. c goes to it. */
export function Say(p: { project: string; record: string; title: string; reply?: { id: string; to: string } | undefined; onSaid: () => void }) {
  const queries = useQueryClient()
  const field = useRef<HTMLTextAreaElement>(null)
  const caret = useRef<number>(undefined)
  const [text, setText] = useState('')
  useUnsaved(text.trim() !== '')
  const [typed, setTyped] = useState<string>()
  const [chosen, setChosen] = useState(0)
  const all = useSomebody()
  const fitting = typed === undefined ? [] : suiting(all, typed)
  const at = Math.min(chosen, fitting.length - 1)
  useKeys([{ key: 'c', does: 'write a comment', act: () => field.current?.focus() }])
  useLayoutEffect(() => {
    if (caret.current === undefined) return
    field.current?.setSelectionRange(caret.current, caret.current)
    caret.current = undefined
  })
  const send = useMutation({
    mutationFn: () => change(`Commented on ${p.title}`, api.POST('/api/projects/{project}/comments', { params: { path: { project: p.project } }, body: { recordId: p.record, text: text.trim(), ...(p.reply && { replyTo: p.reply.id }) } as never })),
    onSuccess: () => {
      setText('')
      p.onSaid()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['comment'] }),
  })
  const say = () => text.trim() !== '' && !send.isPending && send.mutate()
  const take = (name: string) => {
    const made = mentionedIn(text, field.current?.selectionStart ?? text.length, name)
    setText(made.text)
    caret.current = made.cursor
    setTyped(undefined)
    field.current?.focus()
  }
  const onKey = (e: KeyboardEvent) => {
    const pick = fitting[at]
    if (pick && (e.key === 'ArrowDown' || e.key === 'ArrowUp')) setChosen((at + (e.key === 'ArrowDown' ? 1 : fitting.length - 1)) % fitting.length)
    else if (pick && (e.key === 'Tab' || (e.key === 'Enter' && !e.ctrlKey && !e.metaKey))) take(pick.name)
    else if (pick && e.key === 'Escape') setTyped(undefined)
    else if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) say()
    else return
    e.preventDefault()
    e.stopPropagation()
  }
  return (
    <form
      aria-label="Comment" className="relative my-2"
      onSubmit={(e) => {
        e.preventDefault()
        say()
      }}
    >
      <textarea
        ref={field} aria-label="Your comment" rows={1} value={text} placeholder={p.reply ? `Reply to ${p.reply.to}` : 'Comment   c'}
        role="combobox" aria-autocomplete="list" aria-controls="mentions" aria-expanded={fitting.length > 0} aria-activedescendant={fitting[at] ? `mention-${at}` : undefined}
        className="block min-h-9 resize-none! [field-sizing:content] focus:min-h-20"
        onChange={(e) => {
          setText(e.target.value)
          setTyped(mentioning(e.target.value, e.target.selectionStart))
          setChosen(0)
        }}
        onKeyDown={onKey} onBlur={() => setTyped(undefined)}
      />
      {fitting.length > 0 && (
        <div id="mentions" role="listbox" aria-label="Who is mentioned" className="absolute z-10 max-h-60 w-[46ch] max-w-full overflow-y-auto border border-faint bg-panel py-1">
          {fitting.map((s, i) => (
            <div
              key={`${s.agent} ${s.name}`} id={`mention-${i}`} role="option" aria-selected={i === at} tabIndex={-1} className={`flex cursor-pointer gap-3 px-2 py-0.5 ${i === at ? 'bg-selected' : ''}`}
              onMouseDown={(e) => {
                e.preventDefault()
                take(s.name)
              }}
            >
              <span className="w-[22ch] shrink-0 truncate">{s.agent ? <Agent name={s.name} /> : <Person name={s.name} />}</span><span className="truncate text-sm text-muted">{s.about}</span>
            </div>
          ))}
        </div>
      )}
      {text.trim() !== '' && <div className="mt-1 flex items-center gap-3"><button type="submit" className="primary px-3 py-0.5" disabled={send.isPending}>Comment <kbd>Ctrl Enter</kbd></button><span className="text-sm text-muted">Markdown; <kbd>@</kbd> names who is told</span></div>}
      <Failed of={send.error} before="It is not said. " />
    </form>
  )
}
