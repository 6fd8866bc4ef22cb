import type { Schemas } from '../api/client'

type Thread = Schemas['DeskThreadBody']

const different = <T>(all: T[], key: (x: T) => string) => new Set(all.map(key)).size
const of = <T>(threads: Thread[], list: (t: Thread) => T[] | null | undefined) => threads.flatMap((t) => list(t) ?? [])

/** merged counts what a thread will hold that takes in others: what is said twice counts once, as the daemon does it. */
export function merged(threads: Thread[]) {
  return {
    decisions: different(of(threads, (t) => t.decisions), (d) => d.text),
    actions: different(of(threads, (t) => t.actions), (a) => a.text),
    questions: different(of(threads, (t) => t.openQuestions), (x) => x),
    evidence: different(of(threads, (t) => t.evidence), (e) => `${e.snippet}\n${e.reference ?? ''}`),
    attendees: different(of(threads, (t) => t.attendees), (x) => x),
  }
}
