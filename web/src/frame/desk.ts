import type { Subject } from '../lib/pane'
import { placeAt } from '../views'

/** Tree is how the window is divided: a pane, or two parts beside or below each other. share is the first part's, in percent. */
export type Tree = { pane: string } | Split
type Split = { way: Way; share: number; parts: [Tree, Tree] }
export type Way = 'row' | 'col'

/** Desk is what the window shows: the panes, where each is, which has the focus, which follow each other. whole shows that one alone. */
export type Desk = { tree: Tree; hrefs: { [pane: string]: string }; at: string; linked: string[]; whole: boolean }

/** most is how many panes a window has room for. */
export const most = 8
const least = 10 // percent of a part

const words = ['panes', 'at', 'link', 'whole']
const own = (name: string) => words.includes(name) || /^p[1-9]$/.test(name)
const within = (share: number) => Math.min(100 - least, Math.max(least, Math.round(share)))

/** leaves are the panes in reading order. */
export function leaves(tree: Tree): string[] {
  return 'pane' in tree ? [tree.pane] : tree.parts.flatMap(leaves)
}

/** Box is a part of the window, in hundredths of its width and height. */
export type Box = { x: number; y: number; w: number; h: number }

/** Border is the line between two parts: where it is, and the box that it divides. */
export type Border = { place: string; way: Way; share: number; box: Box }

/** boxes are where the panes and the borders between them are. */
export function boxes(tree: Tree, box: Box = { x: 0, y: 0, w: 100, h: 100 }, place = ''): { panes: { [pane: string]: Box }; borders: Border[] } {
  if ('pane' in tree) return { panes: { [tree.pane]: box }, borders: [] }
  const { way, share } = tree
  const w = (box.w * share) / 100
  const h = (box.h * share) / 100
  const first = boxes(tree.parts[0], way === 'row' ? { ...box, w } : { ...box, h }, `${place}0`)
  const second = boxes(tree.parts[1], way === 'row' ? { ...box, x: box.x + w, w: box.w - w } : { ...box, y: box.y + h, h: box.h - h }, `${place}1`)
  return { panes: { ...first.panes, ...second.panes }, borders: [{ place, way, share, box }, ...first.borders, ...second.borders] }
}

/** fresh is a name that no pane has yet. */
function fresh(taken: string[]): string {
  let n = taken.length
  while (taken.includes(String(n))) n++
  return String(n)
}

/** text writes a tree: `r60(.,c50(.,.))`, the panes in reading order. */
function text(tree: Tree): string {
  return 'pane' in tree ? '.' : `${tree.way[0]}${tree.share}(${tree.parts.map(text).join(',')})`
}

/** readTree reads what text wrote; undefined when it is nothing of that kind, or has too many panes. */
function readTree(written: string, names: string[]): Tree | undefined {
  let at = 0
  let panes = 0
  const part = (): Tree | undefined => {
    if (written[at] === '.') {
      at++
      const pane = names[panes] ?? fresh([...names, ...Array.from({ length: panes }, (_, i) => String(i))])
      return ++panes > most ? undefined : { pane }
    }
    const head = /^([rc])(\d{1,2})\(/.exec(written.slice(at, at + 4))
    if (!head || panes >= most) return undefined
    at += head[0].length
    const first = part()
    if (!first || written[at++] !== ',') return undefined
    const second = part()
    if (!second || written[at++] !== ')') return undefined
    return { way: head[1] === 'r' ? 'row' : 'col', share: within(Number(head[2])), parts: [first, second] }
  }
  const tree = part()
  return tree && at === written.length ? tree : undefined
}

/** based is an address of the page; another name of a path is that path. */
function based(href: string): URL {
  const url = new URL(href.startsWith('/') && !href.startsWith('//') ? href : '/', 'http://desk')
  url.pathname = placeAt(url.pathname)?.leads ?? url.pathname
  return url
}

const path = (url: URL) => url.pathname + url.search

/** parse reads a desk from the window's address. Panes keep the names given, in reading order; one that names no project is in the first's. */
export function parse(href: string, names: string[] = []): Desk {
  const url = based(href)
  const said = url.searchParams
  const tree = readTree(said.get('panes') ?? '.', names) ?? { pane: names[0] ?? '0' }
  const panes = leaves(tree)
  const rest = panes.slice(1).map((_, i) => path(based(said.get(`p${i + 1}`) ?? '/today')))
  const pane = (n: string | null) => panes[Number(n ?? 0)]
  const at = pane(said.get('at')) ?? panes[0] ?? '0'
  const linked = (said.get('link') ?? '').split('.').flatMap((n) => (n === '' ? [] : (pane(n) ?? [])))
  const whole = said.get('whole') === '1' && panes.length > 1
  for (const name of [...said.keys()]) if (own(name)) said.delete(name)
  const project = said.get('project')
  const inside = (href: string) => {
    const at = based(href)
    if (project !== null && !at.searchParams.has('project')) at.searchParams.set('project', project)
    return path(at)
  }
  return { tree, hrefs: Object.fromEntries(panes.map((p, i) => [p, i === 0 ? path(url) : inside(rest[i - 1] ?? '/')])), at, linked: [...new Set(linked)], whole }
}

/** format writes the window's address of a desk; that of one pane is the pane's own. */
export function format(desk: Desk): string {
  const panes = leaves(desk.tree)
  const url = based(desk.hrefs[panes[0] ?? ''] ?? '/')
  if (panes.length === 1) return path(url)
  url.searchParams.set('panes', text(desk.tree))
  panes.slice(1).forEach((p, i) => { url.searchParams.set(`p${i + 1}`, desk.hrefs[p] ?? '/') })
  const at = panes.indexOf(desk.at)
  if (at > 0) url.searchParams.set('at', String(at))
  if (desk.linked.length > 0) url.searchParams.set('link', desk.linked.map((p) => panes.indexOf(p)).sort().join('.'))
  if (desk.whole) url.searchParams.set('whole', '1')
  return path(url)
}

/** mapped changes the leaves of a tree; one that becomes nothing leaves its room to its neighbour. */
function mapped(tree: Tree, of: (pane: string) => Tree | undefined): Tree | undefined {
  if ('pane' in tree) return of(tree.pane)
  const [first, second] = [mapped(tree.parts[0], of), mapped(tree.parts[1], of)]
  return first && second ? { ...tree, parts: [first, second] } : (first ?? second)
}

/** opened divides the pane with the focus; the new one shows href, has the focus, and both are linked. */
export function opened(desk: Desk, href: string, way: Way): Desk {
  const panes = leaves(desk.tree)
  if (panes.length >= most) return desk
  const pane = fresh(panes)
  const tree = mapped(desk.tree, (p) => (p === desk.at ? { way, share: 50, parts: [{ pane: p }, { pane }] } : { pane: p })) ?? desk.tree
  return { tree, hrefs: { ...desk.hrefs, [pane]: href }, at: pane, linked: [...new Set([...desk.linked, desk.at, pane])], whole: false }
}

/** shownBeside shows something in a pane beside one, which keeps the focus: in a linked one that shows such a thing already, else in a new one. */
export function shownBeside(desk: Desk, pane: string, href: string): Desk {
  const sort = (at: string) => based(at).pathname.split('/')[1]
  const there = leaves(desk.tree).find((p) => p !== pane && desk.linked.includes(p) && desk.linked.includes(pane) && sort(desk.hrefs[p] ?? '/') === sort(href))
  if (there) return { ...desk, hrefs: { ...desk.hrefs, [there]: href } }
  return { ...opened({ ...desk, at: pane }, href, 'row'), at: pane }
}

/** closed takes a pane away; the last one stays. */
export function closed(desk: Desk, pane: string): Desk {
  const panes = leaves(desk.tree)
  const tree = mapped(desk.tree, (p) => (p === pane ? undefined : { pane: p }))
  if (!tree) return desk
  const at = desk.at === pane ? (panes[Math.max(panes.indexOf(pane) - 1, 0)] === pane ? panes[1] : panes[panes.indexOf(pane) - 1]) : desk.at
  const { [pane]: _, ...hrefs } = desk.hrefs
  const linked = desk.linked.filter((p) => p !== pane)
  return { tree, hrefs, at: at ?? desk.at, linked: linked.length > 1 ? linked : [], whole: false }
}

/** stepped gives the focus to the next pane, or the one before, round and round. */
export function stepped(desk: Desk, by: number): Desk {
  const panes = leaves(desk.tree)
  return { ...desk, at: panes[(panes.indexOf(desk.at) + by + panes.length) % panes.length] ?? desk.at }
}

/** shared sets the share of the part at a place in the tree: '' is the whole, '0' its first part, '01' that one's second. */
export function shared(desk: Desk, place: string, share: number): Desk {
  const set = (tree: Tree, rest: string): Tree => {
    if ('pane' in tree) return tree
    if (rest === '') return { ...tree, share: within(share) }
    const parts: [Tree, Tree] = [...tree.parts]
    const i = rest[0] === '0' ? 0 : 1
    parts[i] = set(parts[i], rest.slice(1))
    return { ...tree, parts }
  }
  return { ...desk, tree: set(desk.tree, place) }
}

/** grown makes the pane with the focus larger by so many percent of the part it is in. */
export function grown(desk: Desk, by: number): Desk {
  const find = (tree: Tree, place: string): { place: string; share: number; first: boolean } | undefined => {
    if ('pane' in tree) return undefined
    const i = leaves(tree.parts[0]).includes(desk.at) ? 0 : 1
    return find(tree.parts[i], place + i) ?? { place, share: tree.share, first: i === 0 }
  }
  const of = find(desk.tree, '')
  return of ? shared(desk, of.place, of.share + (of.first ? by : -by)) : desk
}

/** toggled links a pane with the others, or lets it go its own way. */
export function toggled(desk: Desk, pane: string): Desk {
  return { ...desk, linked: desk.linked.includes(pane) ? desk.linked.filter((p) => p !== pane) : [...desk.linked, pane] }
}

/** following are the words of the address that linked panes share. */
const following = ['project', 'asOf', 'since'] as const

/** went notes where a pane is now. Those linked with it take over its project and its moment. */
export function went(desk: Desk, pane: string, href: string): Desk {
  const before = based(desk.hrefs[pane] ?? '/').searchParams
  const after = based(href).searchParams
  const hrefs = { ...desk.hrefs, [pane]: href }
  const changed = following.filter((w) => before.get(w) !== after.get(w) && (w !== 'project' || after.has(w)))
  if (changed.length === 0 || !desk.linked.includes(pane)) return { ...desk, hrefs }
  for (const other of desk.linked.filter((p) => p !== pane)) {
    const url = based(hrefs[other] ?? '/')
    for (const w of changed) setWord(url, w, after.get(w))
    if (changed.includes('project') && url.pathname.startsWith('/records/')) continue // a record is of its own project
    hrefs[other] = path(url)
  }
  return { ...desk, hrefs }
}

function setWord(url: URL, name: string, to: string | null) {
  if (to === null) url.searchParams.delete(name)
  else url.searchParams.set(name, to)
}

/** narrowed is a filter whose condition on a field is this one. */
function narrowed(filter: string | null, field: string, value: string): string {
  const rest = (filter ?? '').replace(new RegExp(`(^|\\s)-?${field}:("[^"]*"|\\S+)`, 'gi'), '').trim()
  return `${rest} ${field}:"${value.replaceAll('"', '')}"`.trim()
}

/** followed is where a pane goes when something is chosen in one that it is linked with. */
export function followed(href: string, subject: Subject): string {
  const url = based(href)
  const at = url.pathname
  if (at.startsWith('/records/') && (subject.kind === 'record' || subject.kind === 'person')) url.pathname = `/records/${subject.id}`
  else if (at.startsWith('/runs/') && subject.kind === 'run') url.pathname = `/runs/${subject.id}`
  else if (at === '/log' && subject.kind === 'run') url.searchParams.set('run', subject.id)
  else if (at === '/people' && subject.kind === 'person') url.searchParams.set('person', subject.id)
  else if (at === '/tickets' && subject.kind === 'person') url.searchParams.set('filter', narrowed(url.searchParams.get('filter'), 'owner', subject.name))
  else if (at === '/tickets' && subject.kind === 'sprint') url.searchParams.set('filter', narrowed(url.searchParams.get('filter'), 'sprint', subject.name))
  else if (at === '/sprint' && subject.kind === 'sprint') url.searchParams.set('sprint', subject.name)
  return path(url)
}

/** picked has the panes that are linked with this one follow what was chosen in it. */
export function picked(desk: Desk, pane: string, subject: Subject): Desk {
  if (!desk.linked.includes(pane)) return desk
  const hrefs = { ...desk.hrefs }
  for (const other of desk.linked.filter((p) => p !== pane)) hrefs[other] = followed(hrefs[other] ?? '/', subject)
  return { ...desk, hrefs }
}
