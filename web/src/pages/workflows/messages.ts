import type { Schemas } from '../../api/client'

type Span = Schemas['TraceSpan']

/** stepOf is the path of the step that a task of an instance is of, whose id is its root's and what it does: tsk.write#1 is of write. */
function stepOf(id: string, root: string): string {
  const key = id.slice(root.length + 1)
  return key.slice(0, Math.max(key.lastIndexOf('#'), 0))
}

/** within are the answers of models, the calls of tools and the questions of one step of an instance, which began before a moment; 0 is now. */
export function within(spans: Span[], path: string, past: number): Span[] {
  const root = spans.find((s) => s.kind === 'task' && !s.parent)?.id ?? ''
  const parents = new Map(spans.map((s) => [s.id, s]))
  const of = (s: Span): boolean => {
    for (let at: Span | undefined = s, i = 0; at && i < 64; at = at.parent ? parents.get(at.parent) : undefined, i++) {
      if (at.kind === 'task' && at.id.startsWith(`${root}.`) && stepOf(at.id, root) === path) return true
    }
    return false
  }
  return spans.filter((s) => ['model', 'tool', 'message', 'routing', 'approval'].includes(s.kind) && (past === 0 || Date.parse(s.at) <= past) && of(s))
}
