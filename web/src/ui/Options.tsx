import { worded } from '../lib/words'

/** Options are the choices of a field that takes a value of the API, as people read them. */
export function Options(p: { of: readonly string[] }) {
  return p.of.map((value) => <option key={value} value={value}>{worded(value)}</option>)
}
