import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 800px)')
const hearNarrow = (h: () => void) => {
  narrow.addEventListener('change', h)
  return () => narrow.removeEventListener('change', h)
}

/** useNarrow says whether the window has room for one pane only, as on a phone. */
export function useNarrow(): boolean {
  return useSyncExternalStore(hearNarrow, () => narrow.matches)
}
