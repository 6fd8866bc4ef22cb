import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, must } from '../../api/client'
import { csv, save } from '../../lib/csv'
import { useMoment } from '../../lib/moment'
import { useKeys } from '../../lib/pane'
import { useWord } from '../../lib/project'
import { day } from '../../lib/when'
import { Chart } from '../../ui/Chart'
import { State } from '../../ui/State'
import { Table } from '../../ui/Table'
import { ViewHead } from '../../ui/ViewHead'
import { Heat } from './Heat'
import { Scatter } from './Scatter'
import { type ChartData, overDays, read } from './series'

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

/** Shown draws a chart in the form that its points have. */
function Shown({ chart }: { chart: ChartData }) {
  const scatter = chart.name === 'cycle-time' || chart.name === 'ageing'
  return (
    <>
      <p className="text-muted">{chart.says}</p>
      {scatter || chart.name === 'load' ? <Drawn chart={chart} scatter={scatter} /> : <Chart title={chart.title} file={chart.name} head="Day" {...overDays(chart)} />}
      {(chart.notes ?? []).map((n) => <p key={n} className="text-muted">{n}</p>)}
    </>
  )
}

/** Drawn is a chart of points or of cells, with the table behind it a key away and its data as CSV. */
function Drawn({ chart, scatter }: { chart: ChartData; scatter: boolean }) {
  const [table, setTable] = useState(false)
  const toggle = () => setTable((t) => !t)
  useKeys([{ key: 'v', does: 'the table behind the chart', act: toggle }])
  const heads = ['Series', 'Day', chart.unit]
  const rows = chart.series.flatMap((s) => s.points.map((p) => [s.name, p.at, p.value]))
  return (
    <figure aria-label={chart.title} className="m-0 min-w-0">
      <figcaption className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <b>{chart.title}</b><span className="text-muted">{chart.unit}</span>
        <span className="ml-auto flex gap-1">
          <button type="button" className="px-2 py-0" aria-pressed={table} onClick={toggle}>table <kbd>v</kbd></button>
          <button type="button" className="px-2 py-0" aria-label={`${chart.title} as CSV`} onClick={() => save(`${chart.name}.csv`, new Blob([csv(heads, rows)], { type: 'text/csv;charset=utf-8' }))}>CSV</button>
        </span>
      </figcaption>
      {scatter ? <Scatter chart={chart} /> : <Heat chart={chart} />}
      {table && <Table heads={heads} rows={rows.map((r, i) => ({ key: i, cells: r }))} />}
    </figure>
  )
}
