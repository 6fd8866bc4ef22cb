import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, must } from '../../api/client'
import { useMay } from '../../lib/me'
import { usePlace, useProjects, useWord } from '../../lib/project'
import { State } from '../../ui/State'
import { FirstPaste } from './FirstPaste'
import { ModelStep } from './ModelStep'
import { ProjectStep } from './ProjectStep'
import { Before } from './Before'
import { WhatItDid } from './WhatItDid'

/** Start leads through the first minutes: a model or none, a project, a first paste, and what became of it. */
export function Start() {
  const [{ project: named = '' }] = usePlace()
  const [run, setRun] = useWord('run')
  const [without, setWithout] = useState(false)
  const may = useMay('editor')
  const projects = useProjects().data?.items
  const models = useQuery({ queryKey: ['model', 'list'], queryFn: () => must(api.GET('/api/models')) })
  const project = projects?.find((p) => p.id === named) ?? projects?.[0]
  const chosen = (models.data?.length ?? 0) > 0
  const modelDone = chosen || without || project !== undefined
  const at = run && project ? 4 : project ? 3 : modelDone ? 2 : 1
  if (models.isPending || projects === undefined) return <State pending error={models.error}>{null}</State> // or a step would be shown that is done
  if (!may) {
    return (
      <section>
        <h2>Start</h2>
        <p>Make a project first: that needs the role editor, which you do not have. Ask whoever invited you to make one, and it shows here.</p>
      </section>
    )
  }
  return (
    <section>
      <h2>Start</h2>
      <p>Four steps, and Chela works for you. Make a project first, with a model or without one; everything can be changed later.</p>
      <div className="grid items-start gap-x-8 @5xl:grid-cols-2">
      <ol className="m-0! max-w-[100ch] list-none! p-0!">
        <Step n={1} at={at} name="A model, or none" done={chosen ? (models.data ?? []).map((m) => `${m.name}, ${m.model}`).join('; ') : 'none: rules and computed tables'}>
          <ModelStep models={models.data ?? []} onWithout={() => setWithout(true)} />
        </Step>
        <Step n={2} at={at} name="A project" done={project?.body.name ?? ''}><ProjectStep /></Step>
        <Step n={3} at={at} name="The first minutes" done="taken in">{project && <FirstPaste project={project.id} onTaken={setRun} />}</Step>
        <Step n={4} at={at} name="What became of it" done="">{project && run && <WhatItDid project={project.id} run={run} />}</Step>
      </ol>
      {project && !run && <Before project={project.id} />}
      </div>
    </section>
  )
}

/** Step is one step: open when it is its turn, one line before and after. */
function Step(p: { n: number; at: number; name: string; done: string; children: ReactNode }) {
  const over = p.at > p.n
  const open = p.at === p.n
  return (
    <li aria-current={open ? 'step' : undefined} className={`my-3 border-l-2 pl-4 ${open ? 'border-accent' : 'border-line'}`}>
      <h3 className="m-0! flex flex-wrap items-baseline gap-x-3">
        <span className={over ? 'text-up' : open ? 'text-accent' : 'text-muted'}>{over ? '✓' : p.n}</span>
        <span className={open ? '' : 'text-muted'}>{p.name}</span>
        {over && <span className="font-normal text-muted">{p.done}</span>}
      </h3>
      {open && <div className="mt-2">{p.children}</div>}
    </li>
  )
}
