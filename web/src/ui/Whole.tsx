import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'

/** longest is how long the parts of a view are waited for, in milliseconds; then it shows what there is. */
const longest = 1000

/** beat is how long after an answer it is looked whether something else is asked because of it, in milliseconds. */
const beat = 20

/** Whole is a view whose parts ask for themselves: it shows all of them at once when their first answers are there, so that none moves another. */
export function Whole({ children }: { children: ReactNode }) {
  const queries = useQueryClient()
  const [shown, show] = useState(false)
  useEffect(() => {
    if (shown) return
    let next: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(next)
      next = setTimeout(() => queries.isFetching() === 0 && show(true), beat)
    }
    const stop = queries.getQueryCache().subscribe(look)
    const end = setTimeout(() => show(true), longest)
    look()
    return () => {
      stop()
      clearTimeout(next)
      clearTimeout(end)
    }
  }, [queries, shown])
  return <section aria-busy={shown ? undefined : true} className={shown ? undefined : 'opacity-0'}>{children}</section>
}
