import { Markdown } from './Markdown'

/** Cited shows a text whose record ids open the record. */
export function Cited(p: { text: string }) {
  return <div className="prose whitespace-normal!"><Markdown text={p.text} /></div>
}
