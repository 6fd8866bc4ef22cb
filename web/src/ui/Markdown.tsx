import { Link } from '@tanstack/react-router'
import { memo, type ReactNode } from 'react'
import Rendered, { type Components, type ExtraProps } from 'react-markdown'
import { blocks } from '../lib/blocks'
import { pieces } from '../lib/cite'
import { addressesIn } from '../lib/outside'
import { OutLink } from './OutLink'

/** Node is what this needs to know of a node of the tree that a text is read into. */
type Node = { type: string; value?: string; tagName?: string; properties?: { [name: string]: unknown }; children?: Node[] }

/** linked finds ids of records and addresses in the words of a tree; links and pictures stay as they are. */
function linked(node: Node) {
  node.children = (node.children ?? []).flatMap((child): Node[] => {
    if (child.type === 'text') return words(child.value ?? '')
    if (child.tagName !== 'a' && child.tagName !== 'img') linked(child)
    return [child]
  })
}

function words(text: string): Node[] {
  return addressesIn(text).flatMap((part): Node[] => {
    if (part.address) return [{ type: 'element', tagName: 'a', properties: { href: part.address }, children: [{ type: 'text', value: part.text }] }]
    return pieces(part.text).map((x) => (x.id ? { type: 'element', tagName: 'cite', properties: { record: x.id }, children: [] } : { type: 'text', value: x.text }))
  })
}

const find = () => (tree: Node) => linked(tree)
const plugins = [find] as unknown as NonNullable<Parameters<typeof Rendered>[0]['rehypePlugins']>

/** own is what the reader of a text made of an element, without the element itself, which is no attribute. */
const own = (p: ExtraProps) => (p.node?.properties ?? {}) as { href?: string; src?: string; alt?: string; record?: string }

const heading = (p: { children?: ReactNode }) => <p className="mt-3 mb-1 font-bold">{p.children}</p> // a message has no headings of the page

const shown: Components = {
  a: (p) => <OutLink to={own(p).href}>{p.children}</OutLink>,
  img: (p) => <span className="border border-line px-1 text-muted">picture{own(p).alt ? `: ${own(p).alt}` : ''} <OutLink to={own(p).src}>{own(p).src ?? ''}</OutLink></span>,
  cite: (p) => <Cite id={own(p).record ?? ''} />,
  pre: (p) => <pre className="border border-line bg-panel p-2 text-text!">{p.children}</pre>,
  code: (p) => <code className="wrap-anywhere bg-panel">{p.children}</code>,
  h1: heading, h2: heading, h3: heading, h4: heading, h5: heading, h6: heading,
  hr: () => <hr className="my-2 border-line" />,
  p: (p) => <p className="my-0.5 whitespace-pre-wrap wrap-anywhere">{p.children}</p>,
  ul: (p) => <ul className="my-1 pl-5">{p.children}</ul>,
  ol: (p) => <ol className="my-1 pl-7" start={(p.node?.properties as { start?: number } | undefined)?.start}>{p.children}</ol>,
  blockquote: (p) => <blockquote className="my-1 whitespace-normal!">{p.children}</blockquote>,
}

/** Cite opens the record that a text names. */
function Cite({ id }: { id: string }) {
  return <Link to="/records/$id" params={{ id }} title={id} className="cite whitespace-nowrap">{id.slice(0, 4) + id.slice(-5)}</Link>
}

/** address keeps addresses as they are written: OutLink decides which of them lead anywhere. */
const address = (to: string) => to

const Part = memo(function Part(p: { text: string }) {
  return <Rendered rehypePlugins={plugins} components={shown} urlTransform={address}>{p.text}</Rendered>
})

const Grid = memo(function Grid(p: { text: string; rows: string[][] }) {
  const [heads = [], ...rows] = p.rows
  return (
    <div className="overflow-x-auto"><table className="my-2 w-auto [&_td]:min-w-[13ch]">
      <thead><tr>{heads.map((h, i) => <th key={i}><Part text={h} /></th>)}</tr></thead>
      <tbody>{rows.map((r, i) => <tr key={i}>{heads.map((h, j) => <td key={j} data-head={h}><Part text={r[j] ?? ''} /></td>)}</tr>)}</tbody>
    </table></div>
  )
}, (a, b) => a.text === b.text)

/**
 * Markdown shows a text that a model or somebody else wrote. HTML in it stays words, pictures are
 * not loaded, links wait to be pressed, and ids of records open the records. Only the blocks that
 * changed are read again.
 */
export function Markdown(p: { text: string }) {
  return <div className="min-w-0">{blocks(p.text).map((b, i) => (b.table ? <Grid key={i} text={b.text} rows={b.table} /> : <Part key={i} text={b.text} />))}</div>
}
