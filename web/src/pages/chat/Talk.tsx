import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api, must } from '../../api/client'
import { useMyName } from '../../lib/conversations'
import { useOutbox } from '../../lib/outbox'
import { usePane } from '../../lib/pane'
import { linesOf } from '../../lib/talk'
import { dayName } from '../../lib/when'
import { useWho } from '../../lib/who'
import { State } from '../../ui/State'
import { Asked } from '../approvals/Asked'
import { Calls } from './Calls'
import { Composer } from './Composer'
import { Head } from './Head'
import { Held } from './Held'
import { Pending } from './Pending'
import { Said } from './Said'
import { useBack } from './useBack'
import { useEnd } from './useEnd'
import { useTalk } from './useTalk'
import { Working } from './Working'

/** useRead says that a conversation was read when its end is seen. */
function useRead(thread: string, unread: number, last: number, seen: boolean) {
  const { focused } = usePane()
  const mark = useMutation({ mutationFn: (seq: number) => must(api.PUT('/api/conversations/{id}/read', { params: { path: { id: thread } }, body: { seq } })) })
  const { mutate } = mark
  useEffect(() => {
    if (!seen || !focused || unread === 0 || last === 0) return
    const say = () => document.visibilityState === 'visible' && mutate(last)
    say()
    document.addEventListener('visibilitychange', say)
    return () => document.removeEventListener('visibilitychange', say)
  }, [seen, focused, unread, last, mutate])
}

/** Line is a rule with a word on it: a day, or where what is new begins. */
function Line(p: { children: string; news?: boolean }) {
  return (
    <div className={`my-1 flex items-center gap-3 px-3 text-xs ${p.news ? 'text-accent' : 'text-muted'}`} data-testid={p.news ? 'new' : 'day'}>
      <span className={`h-px flex-1 ${p.news ? 'bg-accent' : 'bg-line'}`} />{p.children}<span className={`h-px flex-1 ${p.news ? 'bg-accent' : 'bg-line'}`} />
    </div>
  )
}

/** Talk is one conversation: what was said and done in it, as it comes, and the field to say more. One about a record may not have begun; a command may be answered elsewhere. */
export function Talk({ thread, onBack, onElsewhere, about }: { thread: string; onBack: () => void; onElsewhere?: (thread: string) => void; about?: string }) {
  const { view, pages, messages, calls, runs, questions, whole } = useTalk(thread, about !== undefined)
  const me = useMyName()
  const who = useWho()
  const since = useRef<number>(undefined) // up to where it was read when it was opened
  if (since.current === undefined && view.isFetchedAfterMount && view.data) since.current = view.data.read
  const older = () => pages.hasNextPage && !pages.isFetchingNextPage && void pages.fetchNextPage()
  const { box, inner, there, toEnd, onScroll } = useEnd(messages[0]?.id ?? '', older)
  const outbox = useOutbox({ thread, project: '' }, (answered) => (answered === thread ? toEnd() : onElsewhere?.(answered)))
  const [fresh, back] = useBack(outbox.drop)
  const unread = view.data?.unread ?? 0
  useRead(thread, unread, messages.at(-1)?.seq ?? 0, there && pages.isSuccess)
  const error = view.error ?? pages.error
  return (
    <>
      <Head view={view.data} runs={runs} onBack={onBack} />
      <div className="relative min-h-0 flex-1">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
        <div ref={box} role="log" aria-label="Messages" tabIndex={0} onScroll={onScroll} className="absolute inset-0 overflow-y-auto pb-3 outline-offset-[-2px] [overflow-anchor:none]">
          <div ref={inner} className="flex min-h-full flex-col justify-end">
            <div className="px-3 empty:hidden"><State pending={pages.isPending && !error} error={error} empty={about !== undefined && messages.length === 0} hint={`Nobody has said anything about ${about} yet. Ask, or name an agent with @.`}>{null}</State></div>
            {pages.hasNextPage && <button type="button" className="plain py-1! text-muted!" onClick={older}>{pages.isFetchingNextPage ? 'Loading…' : 'Earlier messages'}</button>}
            {linesOf(messages, calls, since.current ?? 0, me, whole).map((l) => {
              if (l.kind === 'day') return <Line key={l.key}>{dayName(l.at)}</Line>
              if (l.kind === 'new') return <Line key={l.key} news>New</Line>
              if (l.kind === 'calls') return <div key={l.key} className="px-3"><Calls of={l.calls} /></div>
              return <Said key={l.key} of={l.message} name={who(l.message.actor)} follows={l.follows} />
            })}
            <Working thread={thread} messages={messages} runs={runs} />
            <div className="px-3">
              {questions.map((q, i) => <Asked key={q.id} question={q} chosen={i === 0} />)}
              <Held thread={thread} />
              <Pending letters={outbox.letters} onAgain={outbox.again} onEdit={back} />
            </div>
          </div>
        </div>
        {!there && <button type="button" className="absolute bottom-2 left-1/2 -translate-x-1/2 border-accent px-3 py-0.5" onClick={toEnd}>{unread > 0 ? `${unread} new ↓` : 'To the end ↓'}</button>}
      </div>
      <div className="px-3 pb-3">
        <Composer place={thread} to={who(view.data?.agent) || 'the agents'} disabled={view.data?.closed === true} fresh={fresh} onSend={(text, agent, pictures) => {
          toEnd()
          outbox.say(text, agent, pictures)
        }} />
      </div>
    </>
  )
}
