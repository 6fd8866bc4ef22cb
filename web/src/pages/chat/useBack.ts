import { useState } from 'react'
import type { Letter } from '../../lib/outbox'

/** useBack takes a message that could not be sent back into the field in which it was written, or writes a text there. */
export function useBack(drop: (l: Letter) => void): [Letter | undefined, (l: Letter) => void, (text: string) => void] {
  const [fresh, setFresh] = useState<Letter>()
  return [fresh, (l) => {
    drop(l)
    setFresh(l)
  }, (text) => setFresh({ key: '', text, agent: '', pictures: [] })]
}
