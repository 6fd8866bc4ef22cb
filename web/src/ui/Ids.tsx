import { Link } from '@tanstack/react-router'
import { pieces } from '../lib/cite'
import { type Known, known } from '../lib/titles'

/** Ids is a text in a line whose record ids open the record; those of known ones show what people call them. */
export function Ids(p: { text: string; titles?: Map<string, Known> }) {
  return pieces(p.text).map((x, i) => (x.id ? <Link key={i} to="/records/$id" params={{ id: x.id }} className="cite">{known(p.titles?.get(x.id)) ?? x.id.slice(0, 4) + x.id.slice(-5)}</Link> : <span key={i}>{x.text}</span>))
}
