import { useEffect } from 'react'
import { api, must } from '../api/client'
import { enlarge, resize, size } from './look'
import { useMe } from './me'

/** pause is how long after the last change the daemon is told, in milliseconds. */
const pause = 500
/** untold says in this browser that the daemon does not know the size yet. */
const untold = 'chela-size-untold'
let later: ReturnType<typeof setTimeout> | undefined

function tell() {
  const told = size()
  must(api.POST('/api/config/font-size', { body: { fontSize: told } })).then(
    () => told === size() && localStorage.removeItem(untold),
    () => undefined, // this browser keeps it, and tells when the page is opened again
  )
}

/** sizeFont changes the size of the letters, as resize does, on all machines of the person. */
export function sizeFont(by: number) {
  resize(by)
  localStorage.setItem(untold, '1')
  clearTimeout(later)
  later = setTimeout(tell, pause)
}

/** useFontSize gives the letters the size that the person chose, here or on another machine. */
export function useFontSize() {
  const chosen = useMe()?.fontSize
  useEffect(() => {
    if (localStorage.getItem(untold)) later ??= setTimeout(tell, pause)
    else if (chosen) enlarge(chosen)
  }, [chosen])
}
