import { useEffect } from 'react'

let waiting = ''
const hearing = new Set<(text: string) => void>()

/** pasteAtOnce has the intake show a text in its field, now or when it is next shown; nothing is imported by that. */
export function pasteAtOnce(text: string) {
  if (hearing.size === 0) waiting = text
  for (const hear of hearing) hear(text)
}

/** usePasted hears what the field is to show; one function for all renders. */
export function usePasted(hear: (text: string) => void) {
  useEffect(() => {
    hearing.add(hear)
    if (waiting !== '') hear(waiting)
    waiting = ''
    return () => void hearing.delete(hear)
  }, [hear])
}
