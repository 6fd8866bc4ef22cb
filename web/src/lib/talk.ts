import type { Schemas } from '../api/client'
import { dayOf } from './when'

export type Message = Schemas['SessionMessage']

/** Call is one use of a tool in a conversation, with what came of it. */
export type Call = { key: string; seq: number; run: string; agent: string; tool: string; args: unknown; risk: string; rule: string; result?: string; failed?: boolean; ms?: number }

/** Item is a line of a conversation. */
export type Item =
  | { kind: 'day'; key: string; at: string }
  | { kind: 'new'; key: string }
  | { kind: 'message'; key: string; message: Message; follows: boolean }
  | { kind: 'calls'; key: string; calls: Call[] }

type Told = { tool?: string; args?: unknown; call?: string; risk?: string; rule?: string; result?: string; error?: string; ms?: number }

/** callsOf reads the uses of tools off the log, the oldest first. */
export function callsOf(events: Schemas['Logged'][]): Call[] {
  const calls = new Map<string, Call>()
  for (const e of [...events].sort((a, b) => a.seq - b.seq)) {
    const p = (e.payload ?? {}) as Told
    const key = `${e.task_id} ${p.call ?? e.id}`
    const begun = e.type === 'tool.call' ? undefined : calls.get(key)
    const call = begun ?? { key: e.id, seq: e.seq, run: e.run_id, agent: e.from.replace('agent:', ''), tool: p.tool ?? '', args: p.args, risk: p.risk ?? '', rule: p.rule ?? '' }
    calls.set(key, call) // a tool that there is not fails without having been called
    if (e.type === 'tool.call') continue
    call.failed = e.type === 'tool.error'
    call.result = p.result ?? p.error ?? ''
    if (p.ms !== undefined) call.ms = p.ms
  }
  return [...calls.values()]
}

const together = 5 * 60_000 // messages of one sender within it stand together

/**
 * linesOf puts messages and uses of tools in order, with a line where a day begins and one where
 * what is new to the reader begins: after the position read, when others said something since.
 */
export function linesOf(messages: Message[], calls: Call[], read: number, me: string, whole: boolean): Item[] {
  const out: Item[] = []
  const from = whole ? 0 : (messages[0]?.seq ?? 0)
  const waiting = calls.filter((c) => c.seq >= from)
  let day = ''
  let before: Message | undefined
  let told = false
  const use = (upTo: number) => {
    const n = waiting.findIndex((c) => c.seq >= upTo)
    const some = waiting.splice(0, n < 0 ? waiting.length : n)
    const first = some[0]
    if (!first) return
    out.push({ kind: 'calls', key: first.key, calls: some })
    before = undefined
  }
  for (const m of messages) {
    use(m.seq)
    if (dayOf(m.at) !== day) {
      day = dayOf(m.at)
      out.push({ kind: 'day', key: `day ${m.id}`, at: m.at })
      before = undefined
    }
    if (!told && read > 0 && m.seq > read && m.actor !== me) {
      told = true
      out.push({ kind: 'new', key: 'new' })
      before = undefined
    }
    const follows = before !== undefined && before.actor === m.actor && Date.parse(m.at) - Date.parse(before.at) < together
    out.push({ kind: 'message', key: m.id, message: m, follows })
    before = m
  }
  use(Number.POSITIVE_INFINITY)
  return out
}

/** mentioned is the agent that a text begins by naming, as in "@pm what is late?". */
export function mentioned(text: string, agents: string[]): string {
  const name = /^\s*@([\w-]+)/.exec(text)?.[1] ?? ''
  return agents.includes(name) ? name : ''
}

/** naming is the part of a name after @ right before the cursor, undefined when there is none. */
export function naming(text: string, cursor: number): string | undefined {
  return /(?:^|\s)@([\w-]*)$/.exec(text.slice(0, cursor))?.[1]
}

/** commanding is the part of a command's name after the / that a message begins with, before the cursor; two slashes are none. */
export function commanding(text: string, cursor: number): string | undefined {
  return /^\/([\w-]*)$/.exec(text.slice(0, cursor))?.[1]
}

/** initials are one or two letters for a name. */
export function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  return ((words[0]?.[0] ?? '?') + (words.length > 1 ? (words.at(-1)?.[0] ?? '') : (words[0]?.[1] ?? ''))).toUpperCase()
}
