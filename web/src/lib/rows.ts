import { useEffect, useRef, useState } from 'react'

/** meant says whether a key is for the list: no field, dialog or chord takes it, and Enter no link or button. */
function meant(e: KeyboardEvent): boolean {
  const on = (e.target as HTMLElement).tagName
  if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector('dialog[open]')) return false
  return !/^(INPUT|TEXTAREA|SELECT)$/.test(on) && !(e.key === 'Enter' && /^(A|BUTTON|SUMMARY)$/.test(on))
}

/**
 * useRows moves over the rows of a list by the keyboard: j or ↓ to the next, k or ↑ to the one
 * before. keys do something with the row that is chosen. It returns the chosen row, -1 when
 * there is none, and how to choose one.
 */
export function useRows(count: number, keys: { [key: string]: (row: number) => void }): [number, (row: number) => void] {
  const [chosen, choose] = useState(-1)
  const now = useRef({ chosen, count, keys })
  now.current = { chosen, count, keys }
  const after = useRef(false) // g was pressed: the letter names a view
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      const { chosen: at, count: n, keys: acts } = now.current
      const led = after.current
      after.current = e.key === 'g' && meant(e)
      if (led || !meant(e)) return
      const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[e.key]
      if (by !== undefined && n > 0) choose(Math.min(n - 1, Math.max(0, at + by)))
      else if (at >= 0 && at < n && acts[e.key]) acts[e.key]?.(at)
      else return
      e.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return [chosen < count ? chosen : count - 1, choose]
}
