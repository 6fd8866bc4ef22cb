import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, must, Problem, type Schemas } from '../../api/client'
import { useMoment } from '../../lib/moment'
import { useKeys } from '../../lib/pane'
import { useWord } from '../../lib/project'
import { current, daysOf, leftOf, neededOf, useSprints } from '../../lib/sprint'
import { Chart } from '../../ui/Chart'
import { State } from '../../ui/State'
import { Table } from '../../ui/Table'
import { Change, Head } from './Head'

type Health = Schemas['FlowHealth']

/** useHealth is a sprint at a moment; null before it was named. */
function useHealth(project: string, sprint: string, asOf: string) {
  return useQuery({
    queryKey: ['counts', project, 'sprint', sprint, asOf, 'or none'],
    enabled: sprint !== '',
    queryFn: async (): Promise<Health | null> => {
      try {
        return await must(api.GET('/api/projects/{project}/sprints/{sprint}', { params: { path: { project, sprint }, query: asOf === '' ? {} : { asOf } } }))
      } catch (e) {
        if (e instanceof Problem && e.status === 404) return null
        throw e
      }
    },
  })
}

/** Sprint is a sprint at two moments: what was left then and how it had to go down from there, beside what is left now, and its sums. */
export function Sprint({ project }: { project: string }) {
  const { asOf, since } = useMoment()
  const [wanted] = useWord('sprint')
  const list = useSprints(project, asOf)
  const name = wanted || current(list.data?.items ?? [])?.name || ''
  const then = useHealth(project, name, since)
  const now = useHealth(project, name, asOf)
  return (
    <section aria-label="Differences of the sprint">
      <Head title={name === '' ? 'Sprint' : name} />
      <State
        pending={list.isPending || (name !== '' && (then.isPending || now.isPending))} error={list.error ?? then.error ?? now.error} empty={!now.data && !then.data}
        hint="No sprint was named at either moment."
      >
        {now.data && <Both then={then.data ?? null} now={now.data} />}
      </State>
    </section>
  )
}


function Both({ then, now }: { then: Health | null; now: Health }) {
  const [points, setPoints] = useState(now.scope.points > 0)
  const unit = points ? 'points' : 'tickets'
  useKeys([{ key: 'p', does: 'points or tickets', act: () => setPoints(!points) }])
  const names = [...new Set([...(then ? daysOf(then) : []), ...daysOf(now)])].sort()
  const sums: [string, (h: Health) => number, 1 | 0 | -1][] = [
    ['Scope', (h) => h.scope[unit], -1], ['Done', (h) => h.done[unit], 1], ['Left', (h) => h.left[unit], -1], ['Came in after the first day', (h) => h.cameIn[unit], -1], ['Went out', (h) => h.wentOut[unit], 0], ['Days left', (h) => h.daysLeft, 0],
  ]
  return (
    <>
      {!then && <p className="text-muted">Nobody had named this sprint then.</p>}
      <Chart
        title={`Left in ${unit}`} file={`left ${now.name} ${unit}`} head="Day" names={names}
        lines={[{ name: 'Needed as of then', values: then ? neededOf(then, names, unit) : names.map(() => null), colour: 'warn', dashed: true }, { name: 'Left', values: leftOf(now, names, unit), colour: 'link' }]}
        tools={<button type="button" className="px-2 py-0" onClick={() => setPoints(!points)}>{points ? 'in tickets' : 'in points'} <kbd>p</kbd></button>}
      />
      <Table heads={[`In ${unit}`, 'Then → now']} rows={sums.map(([name, of, good]) => ({ key: name, cells: [name, <Change key="c" was={then ? of(then) : 0} is={of(now)} good={good} />] }))} />
    </>
  )
}
