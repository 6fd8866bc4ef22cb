import { useSyncExternalStore } from 'react'
import type { Tick } from '../api/live'

/** Draft is what an agent is writing, as far as it came; at is how many characters of it there are, tail what came since the last hole. */
export type Draft = { run: string; agent: string; text: string; tail: string; at: number; tool: string }

/** take adds a tick to a draft. What came before is not added again, what was lost leaves a mark, an answer begun anew takes the draft's place. */
export function take(d: Draft | undefined, t: Tick): Draft | undefined {
  const agent = (t.agent ?? '').replace('agent:', '')
  const fresh: Draft = { run: t.run, agent, text: '', tail: '', at: 0, tool: '' }
  if (t.kind === 'tool') return { ...(d?.run === t.run ? d : fresh), agent, tool: t.text ?? '' }
  if (t.kind !== 'delta') return d
  const from = t.at ?? 0
  const all = Array.from(t.text ?? '')
  const was = d?.run === t.run && d.agent === agent && from > 0 ? d : fresh
  const text = all.slice(Math.max(0, was.at - from)).join('')
  const at = Math.max(was.at, from + all.length)
  if (from > was.at) return { ...was, text: `${was.text} … ${text}`, tail: text, at, tool: '' }
  return { ...was, text: was.text + text, tail: was.tail + text, at, tool: '' }
}

/** said tells whether a draft has become a message. */
export function said(d: Draft, messages: { run: string; role: string; message: string }[]): boolean {
  const tail = d.tail.trim()
  return messages.some((m) => m.role === 'agent' && m.run === d.run && (tail === '' || m.message.includes(tail)))
}

const most = 50 // drafts that are kept
const drafts = new Map<string, Draft>()
const hearing = new Set<() => void>()

/** heard takes a tick of the stream. */
export function heard(t: Tick) {
  const next = take(drafts.get(t.thread), t)
  if (!next) return
  drafts.delete(t.thread)
  drafts.set(t.thread, next)
  const oldest = drafts.size > most ? drafts.keys().next().value : undefined
  if (oldest !== undefined) drafts.delete(oldest)
  for (const h of hearing) h()
}

if (typeof addEventListener === 'function') addEventListener('chela-tick', (e) => heard((e as CustomEvent<Tick>).detail))

const hear = (h: () => void) => {
  hearing.add(h)
  return () => void hearing.delete(h)
}

/** useDraft is what is being written in a conversation. */
export function useDraft(thread: string): Draft | undefined {
  return useSyncExternalStore(hear, () => drafts.get(thread))
}
