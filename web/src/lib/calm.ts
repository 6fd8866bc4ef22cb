import { useEffect, useState } from 'react'

/** calm is how long a row stays chosen before its record is read, in milliseconds: not at every step of a held key. */
const calm = 120

/** useCalm is a value once it has stayed the same for a moment. */
export function useCalm(value: string): string {
  const [shown, show] = useState(value)
  useEffect(() => {
    const later = setTimeout(() => show(value), calm)
    return () => clearTimeout(later)
  }, [value])
  return shown
}
