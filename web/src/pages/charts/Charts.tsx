import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { api, must } from '../../api/client'
import { useMoment } from '../../lib/moment'
import { useKeys } from '../../lib/pane'
import { useWord } from '../../lib/project'
import { day } from '../../lib/when'
import { Chart } from '../../ui/Chart'
import { ChartFrame, useSpan } from '../../ui/ChartFrame'
import { State } from '../../ui/State'
import { ViewHead } from '../../ui/ViewHead'
import { Heat, heatPicture } from './Heat'
import { Scatter } from './Scatter'
import { type ChartData, daysOf, hue, marked, numbered, overDays, read, within } from './series'
import { svgPicture } from './svgpicture'

/** tall is the height of a chart that has the page to itself. */
const tall = 420

const spans = [{ name: '4 weeks', from: '4w' }, { name: '13 weeks', from: '13w' }, { name: 'a year', from: '52w' }]

/** Charts shows one chart of a project at a time, computed from the log: < and > go to the next, a span says how far back. */
export function Charts({ project }: { project: string }) {
  const { asOf, since, go } = useMoment()
  const [wanted, choose] = useWord('chart')
  const [span, setSpan] = useWord('span')
  const from = since !== '' ? since.slice(0, 10) : spans.some((s) => s.from === span) ? span : '13w'
  const list = useQuery({ queryKey: ['charts'], staleTime: Number.POSITIVE_INFINITY, queryFn: () => must(api.GET('/api/charts')) })
  const all = list.data ?? []
  const at = Math.max(0, all.findIndex((c) => c.name === wanted))
  const name = all[at]?.name ?? ''
  const q = useQuery({
    queryKey: ['counts', project, 'chart', name, from, asOf],
    enabled: name !== '',
    queryFn: async () => read(await must(api.GET('/api/projects/{project}/charts/{name}', { params: { path: { project, name }, query: { from, ...(asOf && { asOf }) } } }))),
  })
  const step = (by: number) => choose(all[(at + by + all.length) % all.length]?.name ?? '')
  useKeys([{ key: '<', does: 'the chart before', act: () => step(-1) }, { key: '>', does: 'the next chart', act: () => step(1) }])
  return (
    <section>
      <ViewHead title="Charts">
        <select aria-label="Chart" className="w-[26ch]" value={name} onChange={(e) => choose(e.target.value)}>{all.map((c) => <option key={c.name} value={c.name}>{c.title}</option>)}</select>
        {since !== '' ? <button type="button" onClick={() => go({ since: '' })}>since {day(from)}: other spans</button> : <select aria-label="Span" value={from} onChange={(e) => setSpan(e.target.value)}>{spans.map((s) => <option key={s.from} value={s.from}>{s.name}</option>)}</select>}
        <span className="text-muted @max-2xl:hidden"><kbd>&lt;</kbd> before <kbd>&gt;</kbd> next</span>
      </ViewHead>
      <State
        pending={list.isPending || q.isPending} error={list.error ?? q.error} empty={(q.data?.series ?? []).every((s) => s.points.length === 0)}
        hint="Nothing of this span counts here yet. Choose a longer one, or another chart."
      >
        {q.data && <Shown key={q.data.name} chart={q.data} />}
      </State>
    </section>
  )
}

/** Shown draws a chart in the form that its points have, and says what happened on its days. */
function Shown({ chart }: { chart: ChartData }) {
  const scatter = chart.name === 'cycle-time' || chart.name === 'ageing'
  const over = overDays(chart)
  const happened = numbered(chart)
  return (
    <>
      <p className="text-muted">{chart.says}</p>
      {scatter || chart.name === 'load' ? <Drawn chart={chart} scatter={scatter} /> : <Chart title={chart.title} file={chart.name} head="Day" marks={marked(over.names, happened)} height={tall} {...over} />}
      {happened.length > 0 && (
        <ol aria-label="What happened" className="m-0 mt-2 flex list-none flex-wrap gap-x-5 gap-y-1 p-0 tabular-nums">
          {happened.map((a) => <li key={a.n}><span className="text-muted">{a.n} {day(a.at)}</span> <Link to={`/records/${a.of}` as never} search={((now: object) => now) as never}>{a.name}</Link></li>)}
        </ol>
      )}
      {(chart.notes ?? []).map((n) => <p key={n} className="text-muted">{n}</p>)}
    </>
  )
}

/** Drawn is a chart of points or of cells. */
function Drawn({ chart: whole, scatter }: { chart: ChartData; scatter: boolean }) {
  const days = daysOf(whole)
  const { shown, part, all } = useSpan(days)
  const chart = part ? within(whole, days[shown.from] ?? '', days[shown.to] ?? '') : whole
  const svg = useRef<SVGSVGElement>(null)
  return (
    <ChartFrame
      title={chart.title} file={chart.name} heads={['Series', 'Day', chart.unit]} rows={chart.series.flatMap((s) => s.points.map((p) => [s.name, p.at, p.value]))}
      caption={<span className="text-muted">{chart.unit}</span>} means={scatter ? chart.series.map((s, i) => ({ name: s.name, colour: hue(s.name, i) })) : []}
      reset={part ? { name: `${days[shown.from]} to ${days[shown.to]}: all`, act: all } : undefined} drawn={() => (scatter ? svg.current && svgPicture(svg.current) : heatPicture(chart)) ?? undefined}
    >
      {scatter ? <Scatter chart={chart} ref={svg} /> : <Heat chart={chart} />}
    </ChartFrame>
  )
}
