import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

const near = 48 // pixels from the end that count as there

/**
 * useEnd keeps what scrolls at its end while one is there, and where one is when older lines come
 * in above. first tells which line is the first.
 */
export function useEnd(first: string, onTop: () => void) {
  const box = useRef<HTMLDivElement>(null)
  const inner = useRef<HTMLDivElement>(null)
  const stays = useRef(true)
  const below = useRef(0) // from the top of what is seen to the end, before older lines came
  const [there, setThere] = useState(true)
  const toEnd = useCallback(() => {
    const b = box.current
    if (b) b.scrollTop = b.scrollHeight
  }, [])
  const onScroll = () => {
    const b = box.current
    if (!b) return
    below.current = b.scrollHeight - b.scrollTop
    stays.current = below.current - b.clientHeight < near
    setThere(stays.current)
    if (b.scrollTop < 200) onTop()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is moved when other lines come first
  useLayoutEffect(() => {
    const b = box.current
    if (b && !stays.current) b.scrollTop = b.scrollHeight - below.current
  }, [first])
  useEffect(() => {
    const grown = new ResizeObserver(() => stays.current && toEnd())
    if (inner.current) grown.observe(inner.current)
    if (box.current) grown.observe(box.current)
    return () => grown.disconnect()
  }, [toEnd])
  return { box, inner, there, toEnd, onScroll }
}
