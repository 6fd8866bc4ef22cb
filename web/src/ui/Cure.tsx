import { Link } from '@tanstack/react-router'

/** cures are the views in which what went wrong is put right, by words of the reason. */
const cures: [words: RegExp, to: string, name: string][] = [
  [/no model|provider|api key|model (is|was|cannot)|accept the key|Models page|did not answer in time|cannot call tools|is limiting our calls/i, '/models', 'Set up models'],
  [/budget|limit of/i, '/budgets', 'Look at the budgets'],
]

/** Cure links a reason to the view in which it is put right; nothing when there is none. */
export function Cure({ of }: { of: string | undefined }) {
  const found = cures.find(([words]) => words.test(of ?? ''))
  return found ? <Link to={found[1]} className="underline">{found[2]}</Link> : null
}
