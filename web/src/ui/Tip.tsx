import { type ReactElement, useEffect, useReducer } from 'react'

let Loaded: typeof import('./Tooltip').Tooltip | undefined

/** Tip says more of a button when it is pointed at or has the focus: its name and its keys. What it needs is fetched after the page is drawn. */
export function Tip(p: { text: string; keys?: string; children: ReactElement }) {
  const [, drawAgain] = useReducer((n: number) => n + 1, 0)
  useEffect(() => {
    if (Loaded) return
    const timer = setTimeout(() => void import('./Tooltip').then((m) => {
      Loaded = m.Tooltip
      drawAgain()
    }), 1_000)
    return () => clearTimeout(timer)
  }, [])
  return Loaded ? <Loaded text={p.text} keys={p.keys}>{p.children}</Loaded> : p.children
}
