import { useState } from 'react'
import { api, must } from '../../api/client'
import { useOutbox } from '../../lib/outbox'
import { useProject } from '../../lib/project'
import { Composer } from '../chat/Composer'
import { Pending } from '../chat/Pending'
import { Talk } from '../chat/Talk'
import { useBack } from '../chat/useBack'

/** Try asks an agent something in a conversation for that alone, which is closed when one starts over. */
export function Try({ agent, enabled, unsaved }: { agent: string; enabled: boolean; unsaved: boolean }) {
  const project = useProject()
  const [thread, setThread] = useState('')
  const box = useOutbox({ thread: '', project }, setThread)
  const [fresh, back] = useBack(box.drop)
  const over = () => {
    void must(api.POST('/api/sessions/{id}/close', { params: { path: { id: thread } } })).catch(() => undefined) // a run may be under way in it; it stays open then
    setThread('')
  }
  return (
    <>
      <div className="flex items-center gap-3 px-3 py-2">
        <b className="flex-1">Try it</b>
        {unsaved && <span className="text-xs text-warn">what is not saved does not count</span>}
        {thread && <button type="button" className="px-2 py-0" onClick={over}>Start over</button>}
      </div>
      {thread ? <Talk key={thread} thread={thread} onBack={over} onElsewhere={setThread} /> : (
        <>
          <p className="mx-3! mt-0! flex-1 text-muted">{enabled ? `Ask ${agent} something and see what it answers, calls and asks. It works as it does anywhere: what it changes is changed.` : `${agent} is disabled. Enable it to try it.`}</p>
          <div className="px-3 pb-3">
            <Pending letters={box.letters} onAgain={box.again} onEdit={back} />
            <Composer place={`try ${agent}`} to={agent} disabled={!enabled} fresh={fresh} onSend={(text, _, pictures) => box.say(text, agent, pictures)} />
          </div>
        </>
      )}
    </>
  )
}
