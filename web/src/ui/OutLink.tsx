import { type ReactNode, useState } from 'react'
import { outside } from '../lib/outside'

/**
 * OutLink is a link of a text that somebody else wrote. It does nothing until it is pressed; then it
 * shows where it leads, and only that leads there. What is no address of the web stays words.
 */
export function OutLink(p: { to: string | undefined; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const address = outside(p.to)
  if (!address) return <span>{p.children}{p.to ? <span className="text-muted wrap-anywhere"> ({p.to})</span> : null}</span>
  return (
    <>
      <button type="button" aria-expanded={open} title={address} onClick={() => setOpen(!open)} className="cursor-pointer border-0 bg-transparent! p-0! text-left text-link underline decoration-dotted underline-offset-2 wrap-anywhere">{p.children}</button>
      {open && (
        <span className="wrap-anywhere">
          {' '}<span aria-hidden="true" className="text-muted">leads to </span>
          <a href={address} target="_blank" rel="noopener noreferrer" aria-label={`Open ${address}`} className="underline">{address}</a>{' '}
        </span>
      )}
    </>
  )
}
