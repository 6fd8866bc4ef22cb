import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api, must } from '../api/client'
import type { Tick } from '../api/live'
import { usePlace, useProject } from '../lib/project'
import { Cited } from '../ui/Cited'
import { State } from '../ui/State'

/** Chat is a conversation with the agents; what they write comes as they write it. */
export function Chat() {
  const project = useProject()
  const [{ thread = '' }, go] = usePlace()
  const form = useRef<HTMLFormElement>(null)
  const [text, setText] = useState('')
  const [draft, setDraft] = useState('')
  const threads = useQuery({
    queryKey: ['conversation', project],
    queryFn: () => must(api.GET('/api/conversations', { params: { query: { project: project || undefined } } })),
  })
  const messages = useQuery({
    queryKey: ['conversation', 'messages', thread],
    enabled: thread !== '',
    queryFn: () => must(api.GET('/api/conversations/{id}/messages', { params: { path: { id: thread } } })),
  })
  useEffect(() => {
    const onTick = (e: Event) => {
      const t = (e as CustomEvent<Tick>).detail
      if (t.thread === thread && t.sort === 'delta') setDraft((d) => d + (t.text ?? ''))
    }
    addEventListener('chela-tick', onTick)
    return () => removeEventListener('chela-tick', onTick)
  }, [thread])
  const said = messages.data?.length
  useEffect(() => {
    if (said === undefined) return
    setDraft('') // what was coming has come
    form.current?.scrollIntoView({ block: 'nearest' })
  }, [said])
  const send = useMutation({
    mutationFn: () => must(api.POST('/api/chat', { body: { threadId: thread || undefined, projectId: thread ? undefined : project || undefined, text, channel: 'page' } })),
    onSuccess: (out) => {
      go({ thread: out.threadId })
      setText('')
    },
  })
  const closed = threads.data?.find((t) => t.id === thread)?.closed === true
  const move = useMutation({
    mutationFn: () => {
      const params = { params: { path: { id: thread } } }
      return closed ? must(api.POST('/api/sessions/{id}/reopen', params)) : must(api.POST('/api/sessions/{id}/close', params))
    },
    onSettled: () => void threads.refetch(),
  })
  return (
    <section className="chat">
      <aside>
        <button type="button" onClick={() => go({})}>New</button>
        {(threads.data ?? []).map((t) => (
          <button type="button" key={t.id} aria-current={t.id === thread} onClick={() => go({ thread: t.id })}>{t.title}</button>
        ))}
      </aside>
      <div>
        <h2>Chat</h2>
        <State pending={thread !== '' && messages.isPending} error={messages.error}>
          {thread === '' && <p className="muted">Say something, or try <code>whereami</code>, which needs no model.</p>}
          {(messages.data ?? []).map((m) => (
            <article key={m.id} className={`message ${m.role}`}>
              <b>{m.role === 'agent' ? m.actor.replace('agent:', '') : m.role === 'person' ? 'You' : 'Chela'}</b>
              <Cited text={m.message} />
              {m.confirmed === false && <p className="bad">Not confirmed: {m.review}</p>}
              {m.broken && <p className="bad">The answer broke off.</p>}
            </article>
          ))}
          {draft && <article className="message agent"><Cited text={draft} /></article>}
        </State>
        <form
          ref={form}
          className="row"
          onSubmit={(e) => {
            e.preventDefault()
            if (text.trim() !== '') send.mutate()
          }}
        >
          <input aria-label="Message" value={text} onChange={(e) => setText(e.target.value)} placeholder="Message" />
          <button type="submit" disabled={send.isPending || closed}>Send</button>
          {thread !== '' && <button type="button" disabled={move.isPending} onClick={() => move.mutate()}>{closed ? 'Reopen' : 'Close'}</button>}
        </form>
        {closed && <p className="muted">This conversation is closed.</p>}
        {move.error && <p className="bad" role="alert">{move.error.message}</p>}
        {send.error && <p className="bad" role="alert">{send.error.message}</p>}
      </div>
    </section>
  )
}
