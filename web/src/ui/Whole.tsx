import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'

/** longest is how long the parts of a view are waited for, in milliseconds; then it shows those above the first that still loads. */
const longest = 1000

/** beat is how long after an answer it is looked whether something else is asked because of it, in milliseconds. */
const beat = 20

type Stage = 'hidden' | 'unfolding' | 'whole'

/**
 * Whole is a view whose parts ask for themselves: it shows all of them at once when their first answers are there. When they are
 * late, it unfolds from the top: what stands below a part that loads (class loads, or late when the part itself is not to be seen
 * before) is not seen yet. So none moves another.
 */
export function Whole({ children }: { children: ReactNode }) {
  const queries = useQueryClient()
  const [stage, show] = useState<Stage>('hidden')
  useEffect(() => {
    if (stage === 'whole') return
    let next: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(next)
      next = setTimeout(() => queries.isFetching() === 0 && show('whole'), beat)
    }
    const stop = queries.getQueryCache().subscribe(look)
    const end = stage === 'hidden' ? setTimeout(() => show('unfolding'), longest) : undefined
    look()
    return () => {
      stop()
      clearTimeout(next)
      clearTimeout(end)
    }
  }, [queries, stage])
  return <section aria-busy={stage === 'whole' ? undefined : true} className={stage === 'hidden' ? 'opacity-0' : stage}>{children}</section>
}
