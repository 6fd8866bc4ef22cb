import type { Schemas } from '../../api/client'
import type { Colour } from '../../lib/colours'
import type { Line } from '../../ui/Chart'
import type { Place } from '../../ui/ChartFrame'

export type Point = Schemas['ChartPoint']
export type Series = { name: string; of?: string | undefined; points: Point[] }
export type ChartData = Omit<Schemas['ChartChart'], 'series'> & { series: Series[] }

/** read is a chart as the daemon gives it, whose lists may be nothing. */
export function read(raw: Schemas['ChartChart'] | string): ChartData {
  if (typeof raw === 'string') throw new Error('The daemon gave a table in place of the chart.')
  return { ...raw, series: (raw.series ?? []).map((s) => ({ name: s.name.replace(/^agent:/, ''), of: s.of, points: s.points ?? [] })) }
}

/** palette are the colours of series, in the order in which they come. */
const palette: Colour[] = ['link', 'accent', 'up', 'agent', 'person', 'warn', 'danger', 'muted']

/** meanings are the colours of series whose names mean something. */
const meanings: { [name: string]: Colour } = { done: 'up', blocked: 'danger', closed: 'muted', scope: 'link', created: 'muted' }

/** hue is the colour of a series. */
export const hue = (name: string, i: number): Colour => meanings[name.toLowerCase()] ?? palette[i % palette.length] ?? 'link'

/** again says that a series has the colour of one before it: its line is dashed. */
const again = (name: string, i: number) => i >= palette.length && !meanings[name.toLowerCase()]

/** overDays are the series of a chart as lines over the days that any of them has. */
export function overDays(chart: ChartData): { names: string[]; lines: Line[] } {
  const names = daysOf(chart)
  return {
    names,
    lines: chart.series.map((s, i) => {
      const points = new Map(s.points.map((p) => [p.at, p]))
      return { name: s.name, values: names.map((n) => points.get(n)?.value ?? null), places: names.map((n) => behind(points.get(n))), colour: hue(s.name, i), dashed: again(s.name, i), filled: chart.name === 'flow' }
    }),
  }
}

/** mostNamed bounds the ids in a filter, which has at most 100 terms and values. */
const mostNamed = 90

/** behind is the place of the records behind a point: one record, the list that a filter finds, or that of its first tickets. */
export function behind(p: Point | undefined): Place | undefined {
  const records = p?.records ?? []
  if (p?.query) return { to: '/tickets', search: { filter: p.query, ...(p.asOf && { asOf: p.asOf }) } }
  if (records.length === 1) return { to: `/${records[0]?.startsWith('run_') ? 'runs' : 'records'}/${records[0]}`, search: {} }
  if (records.length > 1 && records.every((id) => id.startsWith('tkt_'))) return { to: '/tickets', search: { filter: `id:${records.slice(0, mostNamed).join(',')}` } }
  return undefined
}

/** scaled maps a value between two ends to a length. */
export function scaled(value: number, from: number, to: number, length: number): number {
  return to === from ? length / 2 : ((value - from) / (to - from)) * length
}

/** percentiles are the lines that a chart compares its points with. */
export const percentiles = (chart: ChartData) => (chart.lines ?? []).filter((l) => l.value > 0)

/** Dated is what happened on a day of a chart, with the number by which the chart says it. */
export type Dated = Schemas['ChartAnnotation'] & { n: number }

/** numbered are what happened on the days of a chart. */
export const numbered = (chart: ChartData): Dated[] => (chart.annotations ?? []).map((a, i) => ({ ...a, n: i + 1 }))

/** marked are the names, in order, at which a chart says what happened: the last name that is not after the day. Numbers of one name stand together. */
export function marked(names: string[], all: Dated[]): { at: string; name: string; quiet: true }[] {
  const of = new Map<string, number[]>()
  for (const a of all) {
    const at = names.findLast((n) => n <= a.at) ?? names[0]
    if (at !== undefined) of.set(at, [...(of.get(at) ?? []), a.n])
  }
  return [...of].map(([at, numbers]) => ({ at, name: numbers.join(' '), quiet: true }))
}

/** within is a chart with the points of some of its days. */
export const within = (chart: ChartData, from: string, to: string): ChartData => ({ ...chart, series: chart.series.map((s) => ({ ...s, points: s.points.filter((p) => p.at >= from && p.at <= to) })) })

/** daysOf are the days of a chart that have points, in order. */
export const daysOf = (chart: ChartData) => [...new Set(chart.series.flatMap((s) => s.points.map((p) => p.at)))].sort()
