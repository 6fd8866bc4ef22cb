import { Link } from '@tanstack/react-router'
import { pieces } from '../lib/cite'

/** Ids is a text in a line whose record ids open the record. */
export function Ids(p: { text: string }) {
  return pieces(p.text).map((x, i) => (x.id ? <Link key={i} to="/records/$id" params={{ id: x.id }} className="cite">{x.id.slice(0, 4) + x.id.slice(-5)}</Link> : <span key={i}>{x.text}</span>))
}
