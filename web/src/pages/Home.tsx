import { lazy, Suspense } from 'react'
import { useProject, useProjects } from '../lib/project'
import { State } from '../ui/State'
import { Intake } from './Intake'

const Start = lazy(async () => ({ default: (await import('./start/Start')).Start }))

/** Home is the intake; while there is no project, it is where one starts. */
export function Home() {
  const project = useProject()
  const { data, isPending, error } = useProjects()
  const none = data !== undefined && (data.items ?? []).length === 0 && project === ''
  return (
    <State pending={project === '' && isPending} error={project === '' ? error : null}>
      {none ? <Suspense fallback={null}><Start /></Suspense> : <Intake key={project} project={project} />}
    </State>
  )
}
