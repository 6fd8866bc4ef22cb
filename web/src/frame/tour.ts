import type { QueryClient } from '@tanstack/react-query'

/** Where is what the window shows, as far as a step of the tour asks. */
export type Where = { path: string; search: URLSearchParams; project: string; queries: QueryClient }

/**
 * Step is one step of the tour: where it is played, what it points at (the first of these that is on the page), what it
 * says, and the keys of it. It is done when what it measures has grown; what cannot be measured yet is undefined, and
 * begin is what it begins with when that is no matter of when one looks.
 */
export type Step = {
  name: string
  to: string
  search?: { [word: string]: string }
  at: string[]
  says: string
  missing?: string // said when nothing of at is there
  keys: [string, string][]
  paste?: true // offers minutes to paste
  begin?: number
  measure: (w: Where) => number | undefined
}

type Intakes = { items: { body: { status: string } }[] | null }

/** steps are those of the tour, in their order; internal/org/tour.go says how many there are. */
export const steps: Step[] = [
  {
    name: 'Paste notes', to: '/', at: ['textarea[aria-label="Paste notes"]'], paste: true,
    says: 'Minutes, mails and exports become tickets, decisions and questions here. Rules read them; a model is not needed.',
    keys: [['Ctrl Enter', 'import what is in the field']],
    measure: ({ queries, project }) => queries.getQueryData<Intakes>(['intake', project])?.items?.filter((i) => i.body.status === 'DISPATCHED').length,
  },
  {
    name: 'See the evidence', to: '/tickets', at: ['.pane blockquote', '.pane [aria-current="true"]'],
    says: 'Every record keeps the words it came from. Open a ticket: the quote is on its page, with what became of it since.',
    keys: [['j k', 'the next ticket, the one before'], ['Enter', 'open it']],
    begin: 0, measure: ({ path }) => (path.startsWith('/records/') ? 1 : 0),
  },
  {
    name: 'Ask', to: '/ask', search: { draft: 'Which developer has the most capacity?' }, at: ['[data-testid="answer"]', 'input[aria-label="Question"]'],
    says: 'An answer is computed from the records and names those that it rests on. What the records do not say, it does not say.',
    keys: [['Enter', 'ask what is in the field'], ['Ctrl K', 'ask from anywhere']],
    begin: 0, measure: () => document.querySelectorAll('[data-testid="answer"]').length,
  },
  {
    name: 'Approve', to: '/approvals', at: ['.pane [aria-current="true"]'],
    says: 'An agent that wants to change something waits here, with exactly what it would do. Nothing happens before somebody says so.',
    missing: 'Nothing waits for you now. What agents want to do comes here before they do it.',
    keys: [['a', 'approve'], ['d', 'deny'], ['n', 'say why']],
    measure: ({ queries }) => {
      const waiting = queries.getQueryData<unknown[]>(['approval', 'pending'])
      return waiting && -waiting.length
    },
  },
  {
    name: 'Go back in time', to: '/today', at: ['[data-testid="past"]', '.pane button[aria-label^="As of now"]'],
    says: 'Nothing is overwritten. Every view of records can be shown as it was, and what changed between two moments can be told.',
    keys: [['@ w', 'as it was a week ago'], ['@ 3', 'what changed in 7 days'], ['@ n', 'now']],
    begin: 0, measure: ({ search }) => (search.has('asOf') || search.has('since') ? 1 : 0),
  },
]

/** minutes are those that the tour offers to paste. */
export const minutes = (day: Date) => `# Payments weekly ${day.toISOString().slice(0, 10)}

Present: Dana Reyes, Joe Martinez, Tom Weber

- Decision: a retry that failed five times is given up
- ACTION: Joe to count the retries that were given up by Friday
- Tom will page the person on call when the queue grows by next Wednesday
- Open question: who tells the merchant that a payment was given up?
`

/** Rect is a part of the window, in pixels. */
export type Rect = { left: number; top: number; width: number; height: number }

/** clear is the first of some places at which nothing of a target is covered; the first of all when each covers some. */
export function clear<P extends Rect>(places: P[], target: Rect | undefined): P | undefined {
  const covers = (a: Rect, b: Rect) => a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height
  return places.find((p) => !target || !covers(p, target)) ?? places[0]
}
