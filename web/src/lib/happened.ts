import type { Schemas } from '../api/client'

export type Revised = Schemas['DeskRevised']
export type Proof = Schemas['LibraryProof']
export type Comment = Schemas['RecordOfCommentBody']

/** Happened is one thing on the timeline of a record: a change, what an agent did in one run, something that was said, or what was found of its contract. */
export type Happened =
  | { kind: 'change'; key: string; at: string; change: Revised }
  | { kind: 'work'; key: string; at: string; run: string; by: string; changes: Revised[] }
  | { kind: 'comment'; key: string; at: string; comment: Comment }
  | { kind: 'proof'; key: string; at: string; proof: Proof }

/** isAgent says whether a sender is an agent at work: neither a person nor the daemon itself. */
export const isAgent = (sender: string | undefined) => /^agent:(?!person\/|chela$)/.test(sender ?? '')

/** timeline puts what became of a record and what was said of it in one order, the last first. What an agent did in one run stands together. */
export function timeline(changes: Revised[], comments: Comment[], proofs: Proof[] = []): Happened[] {
  const works = new Map<string, Extract<Happened, { kind: 'work' }>>()
  const out: Happened[] = comments.map((comment) => ({ kind: 'comment', key: `comment ${comment.id}`, at: comment.createdAt, comment }))
  out.push(...proofs.map((proof) => ({ kind: 'proof' as const, key: `proof ${proof.seq}`, at: proof.at, proof })))
  for (const change of changes) {
    const by = (change.by ?? []).find(isAgent)
    if (!by) {
      out.push({ kind: 'change', key: `event ${change.eventId}`, at: change.at, change })
      continue
    }
    const had = works.get(change.runId)
    if (had) {
      had.changes.push(change)
      had.at = had.at > change.at ? had.at : change.at
      continue
    }
    const work = { kind: 'work' as const, key: `run ${change.runId}`, at: change.at, run: change.runId, by, changes: [change] }
    works.set(change.runId, work)
    out.push(work)
  }
  return out.sort((a, b) => b.at.localeCompare(a.at) || b.key.localeCompare(a.key))
}

/** eventsOf are the events of a thing on the timeline that can be taken back. */
export function eventsOf(h: Happened): string[] {
  if (h.kind === 'change') return [h.change.eventId]
  return h.kind === 'work' ? h.changes.map((c) => c.eventId) : []
}
