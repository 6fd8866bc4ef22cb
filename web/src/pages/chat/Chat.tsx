import { usePlace, useProject, useWord } from '../../lib/project'
import { Begin } from './Begin'
import { List } from './List'
import { Talk } from './Talk'

/** Chat is where people and agents talk: the conversations, and the one that is open. */
export function Chat() {
  const project = useProject()
  const [{ thread = '' }, go] = usePlace()
  const [agent] = useWord('agent')
  const open = (id: string) => go({ project, thread: id })
  const [form] = useWord('form')
  const list = () => go({ project })
  const alone = thread === '' && agent === '' && form !== 'new' // on a narrow pane the list is there, or the conversation
  return (
    <section className="@container absolute inset-0 flex">
      <aside aria-label="Conversations of the project" className={`${alone ? 'flex' : 'hidden'} w-full shrink-0 flex-col border-line @3xl:flex @3xl:w-68 @3xl:border-r`}>
        <List project={project} thread={thread} onOpen={open} onNew={() => go({ project, form: 'new' })} />
      </aside>
      <div className={`${alone ? 'hidden' : 'flex'} min-w-0 flex-1 flex-col @3xl:flex`}>
        {thread === '' ? <Begin key={agent} project={project} agent={agent} onBegun={open} onBack={list} /> : <Talk key={thread} thread={thread} onBack={list} onElsewhere={open} />}
      </div>
    </section>
  )
}
