import { useState } from 'react'
import type { Letter } from '../../lib/outbox'

/** useBack takes a message that could not be sent back into the field in which it was written. */
export function useBack(drop: (l: Letter) => void): [Letter | undefined, (l: Letter) => void] {
  const [fresh, setFresh] = useState<Letter>()
  return [fresh, (l) => {
    drop(l)
    setFresh(l)
  }]
}
