import { Link } from '@tanstack/react-router'
import type { Call } from '../../lib/talk'

const took = (ms: number | undefined) => (ms === undefined ? '' : ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`)
const shown = (v: unknown) => (typeof v === 'string' ? v : JSON.stringify(v, null, 2))
const longest = 20_000 // characters of a result; the run has all

/** Calls are uses of tools that belong together, folded; each shows its arguments and what came of it. */
export function Calls(p: { of: Call[] }) {
  const first = p.of[0]
  if (!first) return null
  const failed = p.of.filter((c) => c.failed).length
  const open = p.of.filter((c) => c.result === undefined).length
  const names = [...new Set(p.of.map((c) => c.tool))]
  return (
    <details className="my-0.5 ml-11 text-sm @max-xl:ml-0" data-testid="calls">
      <summary className="cursor-pointer truncate text-muted">
        {first.agent} used <span className="text-text">{names.slice(0, 4).join(', ')}</span>{names.length > 4 && ` and ${names.length - 4} more`}{p.of.length > 1 && ` · ${p.of.length} calls`}
        {failed > 0 && <span className="text-danger"> · {failed} failed</span>}{open > 0 && <span className="text-warn"> · {open} open</span>}
      </summary>
      <div className="border-l-2 border-line pl-3">
        {p.of.map((c) => (
          <details key={c.key} className="py-0.5">
            <summary className="cursor-pointer truncate">
              <span className={c.failed ? 'text-danger' : c.result === undefined ? 'text-warn' : 'text-up'}>{c.failed ? 'failed' : c.result === undefined ? 'open' : 'done'}</span>{' '}
              {c.tool} <span className="text-muted">{shown(c.args)?.replace(/\s+/g, ' ')}</span>
            </summary>
            <p className="my-1! text-muted">{c.risk} · {c.rule} {c.ms !== undefined && `· ${took(c.ms)}`} · <Link to="/runs/$id" params={{ id: c.run }}>the run</Link></p>
            <pre className="border border-line bg-panel p-2">{shown(c.args)}</pre>
            {c.result !== undefined && <pre className={`border bg-panel p-2 ${c.failed ? 'border-danger' : 'border-line'}`}>{c.result.slice(0, longest)}{c.result.length > longest && ' …'}</pre>}
          </details>
        ))}
      </div>
    </details>
  )
}
