import { useCallback, useState } from 'react'

/** useWidth measures an element: what it returns first belongs on it, the second is its width in pixels. */
export function useWidth(): [(el: HTMLElement | null) => (() => void) | undefined, number] {
  const [width, setWidth] = useState(0)
  const measure = useCallback((el: HTMLElement | null) => {
    if (!el) return
    const seen = new ResizeObserver(() => setWidth(el.clientWidth))
    seen.observe(el)
    return () => seen.disconnect()
  }, [])
  return [measure, width]
}
