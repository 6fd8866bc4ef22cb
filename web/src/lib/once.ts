import { useEffect, useRef } from 'react'

/** useOnce begins a thing once while it is under way: a second press of Enter may come before the page shows that it is. */
export function useOnce(busy: boolean): (begin: () => void) => void {
  const begun = useRef(false)
  useEffect(() => {
    if (!busy) begun.current = false
  })
  return (begin) => {
    if (busy || begun.current) return
    begun.current = true
    begin()
  }
}
