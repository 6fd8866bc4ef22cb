import { useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { api, must } from '../api/client'

/** Picture is a picture that goes with a message, as base64 with what kind it is. */
export type Picture = { name: string; type: string; data: string }

/** Letter is a message on its way; one with an error waits to be sent again, under the same key, so that it is never said twice. */
export type Letter = { key: string; text: string; agent: string; pictures: Picture[]; error?: string }

const boxes = new Map<string, Letter[]>() // by conversation, or by project for one that begins
const hearing = new Set<() => void>()
const none: Letter[] = []
const put = (box: string, letters: Letter[]) => {
  if (letters.length > 0) boxes.set(box, letters)
  else boxes.delete(box)
  for (const h of hearing) h()
}
const hear = (h: () => void) => {
  hearing.add(h)
  return () => void hearing.delete(h)
}

const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, '0')).join('')

/** useOutbox sends messages to a conversation, or begins one; what could not be sent stays. */
export function useOutbox(to: { thread: string; project: string }, onSent: (thread: string) => void) {
  const queries = useQueryClient()
  const box = to.thread || `new ${to.project}`
  const letters = useSyncExternalStore(hear, () => boxes.get(box) ?? none)
  const without = (key: string) => (boxes.get(box) ?? none).filter((l) => l.key !== key)
  const send = async (l: Letter) => {
    const { error: _, ...fresh } = l
    put(box, [...without(l.key), fresh])
    try {
      const out = await must(api.POST('/api/chat', {
        body: {
          ...(to.thread ? { threadId: to.thread } : to.project ? { projectId: to.project } : {}), ...(l.agent ? { agent: l.agent } : {}),
          text: l.text, images: l.pictures.map((p) => p.data), idempotencyKey: l.key,
        },
      }))
      await Promise.all(['message', 'conversation'].map((kind) => queries.invalidateQueries({ queryKey: [kind] })))
      put(box, without(l.key))
      onSent(out.threadId)
    } catch (e) {
      put(box, [...without(l.key), { ...fresh, error: (e as Error).message }])
    }
  }
  return {
    letters,
    say: (text: string, agent: string, pictures: Picture[]) => void send({ key: newKey(), text, agent, pictures }),
    again: (l: Letter) => void send(l),
    drop: (l: Letter) => put(box, without(l.key)),
  }
}
