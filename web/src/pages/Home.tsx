import { later } from '../lib/later'
import { useProject, useProjects } from '../lib/project'
import { State } from '../ui/State'
import { Intake } from './Intake'

const Start = later(() => import('./start/Start'), 'Start')

/** Home is the intake; while there is no project, it is where one starts. */
export function Home() {
  const project = useProject()
  const { data, isPending, error } = useProjects()
  const none = data !== undefined && (data.items ?? []).length === 0 && project === ''
  return (
    <State pending={project === '' && isPending} error={project === '' ? error : null}>
      {none ? <Start /> : <Intake key={project} project={project} />}
    </State>
  )
}
