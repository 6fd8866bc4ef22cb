import type { ReactNode } from 'react'
import { saying, useMoment } from '../../lib/moment'
import { useKeys } from '../../lib/pane'

/** Head says between which moments something differs, and leads back to the view, of now or of then. */
export function Head({ title, children }: { title: string; children?: ReactNode }) {
  const { asOf, since, past, go } = useMoment()
  const close = () => go({ since: '' })
  const then = () => go({ asOf: since, since: '' })
  useKeys([{ key: 'Backspace', does: 'back to the view', act: close }, ...(past ? [] : [{ key: 'b', does: 'show it as it was then', act: then }])])
  return (
    <>
      <h2>{title} <span className="text-muted">since {saying(since)}{past && `, until ${saying(asOf)}`}</span></h2>
      <p className="flex flex-wrap items-center gap-3">
        <button type="button" className="px-2 py-0" onClick={close}>Back to the view <kbd>Backspace</kbd></button>
        {!past && <button type="button" className="px-2 py-0" onClick={then}>Show it as it was then <kbd>b</kbd></button>}
        {children}
      </p>
    </>
  )
}

/** Then is a value that was another: the earlier one struck out, then the one of now. The same one is shown once, faint. */
export function Then({ was, is }: { was: string; is: string }) {
  if (was === is) return <span className="text-muted">{is}</span>
  return (
    <span className="whitespace-nowrap">
      {was !== '' && <s className="text-muted decoration-danger">{was}</s>}{was !== '' && ' → '}{is === '' ? <span className="text-muted">nothing</span> : <span className="text-strong">{is}</span>}
    </span>
  )
}

/** Change is a number that was another, with the difference; more is good, bad or neither. */
export function Change({ was, is, good = 0 }: { was: number; is: number; good?: 1 | 0 | -1 }) {
  const by = is - was
  const look = by === 0 ? 'text-muted' : by * good > 0 ? 'text-up' : by * good < 0 ? 'text-warn' : 'text-link'
  return <span className="whitespace-nowrap tabular-nums">{was} → <b>{is}</b> <span className={look}>{by > 0 ? '+' : ''}{by}</span></span>
}
