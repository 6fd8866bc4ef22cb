import type { Schemas } from '../../api/client'
import { type Conversation, untitled } from '../../lib/conversations'
import { type Note, placeOf, reasons } from '../../lib/inbox'
import { plain } from '../../lib/words'
import type { Approval } from '../approvals/answer'

type Run = Schemas['RunRun']

/** Need is one thing that waits for the person: a question, something they were told, a run that failed, a reply. */
export type Need =
  | { kind: 'approval'; id: string; approval: Approval }
  | { kind: 'note'; id: string; note: Note }
  | { kind: 'run'; id: string; run: Run }
  | { kind: 'reply'; id: string; conversation: Conversation }

/** elsewhere are the reasons whose things Today shows in other parts. */
const elsewhere = ['APPROVAL', 'DUE']

/** concerning are those of things that are of a project, or of none. */
export const concerning = <T extends { project?: string }>(all: T[], project: string): T[] => all.filter((x) => !x.project || x.project === project)

/** needsOf are the things of a project, or of none, that wait: questions, who waited longest first, what the person was told, failures that nobody was told of, replies. Nothing comes twice. */
export function needsOf(project: string, p: { approvals: Approval[]; notes: Note[]; failed: Run[]; conversations: Conversation[] }): Need[] {
  const notes = concerning(p.notes, project).filter((n) => !elsewhere.includes(n.reason))
  const told = new Set(notes.map((n) => n.run).filter(Boolean))
  const rang = new Set(notes.filter((n) => n.reason === 'REMINDER').map((n) => n.thread).filter(Boolean))
  const order = Object.keys(reasons)
  return [
    ...concerning(p.approvals, project).reverse().map((approval): Need => ({ kind: 'approval', id: `need ${approval.id}`, approval })),
    ...notes.toSorted((a, b) => order.indexOf(a.reason) - order.indexOf(b.reason)).map((note): Need => ({ kind: 'note', id: `need ${note.id}`, note })),
    ...concerning(p.failed, project).filter((r) => !told.has(r.id)).map((run): Need => ({ kind: 'run', id: `need ${run.id}`, run })),
    ...concerning(p.conversations, project).filter((c) => c.unread > 0 && !(c.title === 'Reminders' && rang.has(c.id))).map((conversation): Need => ({ kind: 'reply', id: `need ${conversation.id}`, conversation })),
  ]
}

/** effectOf says in a line what would happen when a question is approved. */
export function effectOf(a: Approval): string {
  const calls = a.calls ?? []
  const first = calls[0]
  if (!first) return [a.tool, a.detail].filter(Boolean).join(' ')
  const shown = (first.shown ?? '').split('\n').find((l) => l.trim() !== '') ?? ''
  return `${first.tool} ${shown}${calls.length > 1 ? `, and ${calls.length - 1} more` : ''}`
}

type Said = { sign: string; look: string; word: string; title: string; text: string; at: string; by: string; to: { to: string; params?: { id: string }; search?: { project?: string; thread?: string } } }

/** saidOf is how a need is shown in a line. who names senders. */
export function saidOf(n: Need, who: (sender: string | undefined) => string): Said {
  switch (n.kind) {
    case 'approval': {
      const agents = [...new Set((n.approval.calls ?? []).map((c) => c.agent.replace('agent:', '')))].join(', ')
      return { sign: '‖', look: 'text-warn', word: 'Asks you', title: n.approval.question, text: '', by: agents, at: n.approval.created_at, to: { to: '/approvals' } }
    }
    case 'note': {
      const of = reasons[n.note.reason] ?? { name: n.note.reason, sign: '·', look: 'text-text' }
      const words: { [reason: string]: string } = { MENTION: 'Mentions you', FAILED: 'Failed', ASSIGNED: 'Yours now', COMMENT: 'Comment', FINDING: 'Finding', REMINDER: 'Reminds you', SCHEDULE: 'By the clock' }
      return { sign: of.sign, look: of.look, word: words[n.note.reason] ?? of.name, title: n.note.title, text: plain(n.note.text ?? ''), by: who(n.note.by), at: n.note.at, to: placeOf(n.note) }
    }
    case 'run':
      return { sign: '✗', look: 'text-danger', word: 'Failed', title: n.run.title, text: plain(n.run.reason ?? ''), by: '', at: n.run.ended_at ?? n.run.created_at, to: { to: '/runs/$id', params: { id: n.run.id } } }
    case 'reply':
      return {
        sign: '↩', look: 'text-agent', word: 'Reply', title: n.conversation.title || untitled, text: `${n.conversation.unread} new`, by: (n.conversation.agent ?? '').replace('agent:', ''), at: n.conversation.updated_at,
        to: { to: '/chat', search: { ...(n.conversation.project && { project: n.conversation.project }), thread: n.conversation.id } },
      }
  }
}
