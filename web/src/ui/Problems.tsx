import { isReading } from '../lib/words'

/** Problems are what an import could not read, in the colour of errors, and what it says of how it read, in a muted one. */
export function Problems({ of }: { of: string[] | null | undefined }) {
  return <>{(of ?? []).map((x) => <p key={x} className={isReading(x) ? 'text-muted' : 'danger'}>{x}</p>)}</>
}
