import { defaultFilter } from 'cmdk'
import { views } from '../views'

/** Target is where a command leads: a path and what the address says beside it. ask has the question be asked at once, layout is the address of a whole window, tour begins the tour. */
export type Target = { to: string; params?: { id: string }; search?: { project?: string; filter?: string; q?: string; thread?: string }; ask?: string; layout?: string; tour?: true }

/** Suggestion is one line under the command line. */
export type Suggestion = { id: string; code?: string; label: string; hint?: string; target: Target }

/** Known is what a command can name beside the views. */
export type Known = {
  projects: { id: string; name: string }[]
  runs: { id: string; title: string; state: string }[]
  records: { id: string; kind: string; title: string }[]
  layouts: { name: string; address: string }[]
}

const most = 12 // lines

/** ask puts a question to the records. */
const ask = (rest: string): Suggestion => ({ id: 'ask', code: 'ASK', label: rest, hint: 'ask the records', target: { to: '/ask', search: { q: rest }, ask: rest } })

const layout = (l: { name: string; address: string }): Suggestion => ({ id: `lay:${l.name}`, code: 'LAY', label: l.name, hint: 'layout', target: { to: '/', layout: l.address } })

const tour: Suggestion = { id: 'tour', code: 'TOUR', label: 'Tour', hint: 'the page in five steps', target: { to: '.', tour: true } }

/** withRest are the codes that take what follows them. */
const withRest: { [code: string]: (rest: string, known: Known) => Suggestion[] } = {
  TICK: (rest) => [{ id: 'tick', code: 'TICK', label: `Tickets with ${rest}`, hint: 'filter', target: { to: '/tickets', search: { filter: rest } } }],
  FIND: (rest) => [{ id: 'find', code: 'FIND', label: `Search for ${rest}`, target: { to: '/search', search: { q: rest } } }],
  ASK: (rest) => [ask(rest)],
  RUN: (rest, known) =>
    known.runs
      .filter((r) => r.id.endsWith(rest) || r.title.toLowerCase().includes(rest.toLowerCase()))
      .map((r) => ({ id: r.id, code: 'RUN', label: r.title, hint: `${r.state} · ${r.id.slice(-8)}`, target: { to: '/runs/$id', params: { id: r.id } } })),
  LAY: (rest, known) => known.layouts.filter((l) => l.name.toLowerCase().includes(rest.toLowerCase())).map(layout),
  PROJ: (rest, known) =>
    known.projects
      .filter((p) => p.name.toLowerCase().includes(rest.toLowerCase()))
      .map((p) => ({ id: p.id, code: 'PROJ', label: p.name, hint: 'project', target: { to: '.', search: { project: p.id } } })),
}

/**
 * suggest returns what a text in the command line may mean, the likeliest first: a code, a
 * code with words, a view, a project, a record. Nothing typed gives the views.
 */
export function suggest(text: string, known: Known): Suggestion[] {
  const typed = text.trim()
  const [first = '', ...words] = typed.split(/\s+/)
  const code = first.toUpperCase()
  const rest = words.join(' ')
  const exact = rest !== '' ? (withRest[code]?.(rest, known) ?? []) : []
  const named = views.map((v) => ({
    score: v.code === code && rest === '' ? 2 : typed === '' ? 1 : defaultFilter(`${v.code} ${v.name}`, typed, [v.also ?? '']),
    line: { id: v.to, code: v.code, label: v.name, hint: v.also, target: { to: v.to } } as Suggestion,
  }))
  const projects = known.projects.map((p) => ({
    score: typed === '' ? 0 : defaultFilter(p.name, typed) * 0.9,
    line: { id: p.id, label: p.name, hint: 'project', target: { to: '.', search: { project: p.id } } } as Suggestion,
  }))
  const layouts = known.layouts.map((l) => ({ score: typed === '' ? 0 : defaultFilter(l.name, typed) * 0.8, line: layout(l) }))
  const toured = { score: code === tour.code && rest === '' ? 2 : typed === '' ? 0 : defaultFilter(`${tour.code} ${tour.label}`, typed, ['help begin introduction']), line: tour }
  const ranked = [...named, ...projects, ...layouts, toured].filter((s) => s.score > 0.01).sort((a, b) => b.score - a.score)
  const records = known.records.map((r) => ({ id: r.id, label: r.title, hint: r.kind.replaceAll('_', ' '), target: { to: '/records/$id', params: { id: r.id } } }))
  const lines = [...exact, ...ranked.slice(0, typed === '' ? views.length : 6).map((s) => s.line), ...records]
  if (typed !== '' && exact.length === 0) lines.push(ask(typed))
  return lines.slice(0, typed === '' ? views.length : most)
}
