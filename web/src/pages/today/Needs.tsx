import { Link } from '@tanstack/react-router'
import type { useRows } from '../../lib/rows'
import { shortly } from '../../lib/when'
import { useWho } from '../../lib/who'
import { Question } from '../../ui/Question'
import type { Given } from '../approvals/answer'
import { effectOf, type Need, saidOf } from './need'
import { Part } from './Part'

type Row = ReturnType<typeof useRows>['row']

/** Needs is what waits for the person, the most urgent first, each answered with one key. */
export function Needs(p: { of: Need[]; at: string; whole: string; row: Row; onAnswer: (g: Given) => void }) {
  const who = useWho()
  if (p.of.length === 0) {
    return <Part name="Needs you" to="/inbox"><p className="m-0! px-2 py-1 text-muted" data-sign="✓">Nothing waits for you.</p></Part>
  }
  return (
    <Part name="Needs you" to="/inbox" count={p.of.length} beside={<Hints of={p.of.find((n) => n.id === p.at)} />}>
      {p.of.map((n) => {
        const { className, ...place } = p.row(n.id)
        const { sign, look, word, title, text, at, by, to } = saidOf(n, who)
        const open = n.kind === 'approval' && p.whole === n.id
        return (
          <div key={n.id} {...place} data-need={n.kind} className={`border-b border-line px-2 py-0.5 ${className}`}>
            <div className="flex items-baseline gap-x-3">
              <span data-sign={sign} className={`w-[14ch] shrink-0 whitespace-nowrap ${look}`}>{word}</span>
              <Link to={to.to} {...(to.params && { params: to.params })} search={(to.search ?? {}) as never} className="min-w-[12ch] truncate text-strong!">{title}</Link>
              <span className="min-w-0 flex-1 truncate text-muted @max-2xl:hidden">{text}</span>
              {by && <span className="max-w-[16ch] shrink-0 truncate text-muted @max-3xl:hidden">{by}</span>}
              <time dateTime={at} className="ml-auto shrink-0 text-sm whitespace-nowrap text-faint">{shortly(at)}</time>
            </div>
            {n.kind === 'approval' && !open && p.at === n.id && <div className="truncate pl-[calc(14ch+.75rem)] text-text"><code>{effectOf(n.approval)}</code></div>}
            {open && <Question question={n.approval} busy={false} chosen onAnswer={(body) => p.onAnswer({ question: n.approval, body })} />}
          </div>
        )
      })}
    </Part>
  )
}

/** Hints are the keys of what is chosen. */
function Hints({ of }: { of: Need | undefined }) {
  if (!of) return null
  if (of.kind === 'approval') return <><span><kbd>a</kbd> approve</span><span><kbd>d</kbd> deny</span><span><kbd>v</kbd> exactly</span></>
  if (of.kind === 'note') return <><span><kbd>Enter</kbd> open</span><span><kbd>d</kbd> done</span></>
  return <span><kbd>Enter</kbd> open</span>
}

