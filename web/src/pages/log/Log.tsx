import type { QueryClient } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useState } from 'react'
import { agentName, useAgents } from '../../lib/agents'
import { useKeys, usePane } from '../../lib/pane'
import { usePlace, useWord } from '../../lib/project'
import { useRows } from '../../lib/rows'
import { few } from '../../lib/took'
import { personsQuery, useWho } from '../../lib/who'
import { LongList } from '../../ui/LongList'
import { State } from '../../ui/State'
import { Event } from './Event'
import { LogRow, columns } from './LogRow'
import { askEvents, useFeed } from './useFeed'
import { Verify } from './Verify'

/** spaces are the namespaces of types, for the field of the type. */
const spaces = ['agent.*', 'approval.*', 'budget.*', 'chat.*', 'desk.*', 'desk.ticket.*', 'hook.*', 'model.*', 'org.*', 'policy.*', 'routing.*', 'run.*', 'schedule.*', 'session.*', 'task.*', 'tool.*', 'vault.*']

/** readingFrom is how far down one reads before what is shown is held, in pixels. */
const readingFrom = 120

/** askFirst asks what the log shows first: the newest events, and how people are called. */
export const askFirst = (queries: QueryClient) => Promise.all([askEvents(queries), queries.prefetchQuery(personsQuery)])

/** Log follows what is recorded, narrowed by type, actor, run, stream and words; it opens events and verifies the chains. */
export function Log() {
  const who = useWho()
  const { scroller } = usePane()
  const [type, setType] = useWord('type')
  const [actor, setActor] = useWord('agent')
  const [run, setRun] = useWord('run')
  const [stream, setStream] = useWord('scope')
  const [words, setWords] = useWord('q')
  const [opened, setOpened] = useState('')
  const agents = useAgents()
  const feed = useFeed({ type, actor: actor && !actor.includes(':') ? `agent:${actor}` : actor, run, stream, words })
  const { rows, held } = feed
  const ids = rows.map((r) => String(r.seq))
  const open = (id: string) => {
    feed.hold()
    setOpened((o) => (o === id ? '' : id))
  }
  const { row } = useRows(ids, { Enter: { does: 'open the event, or close it', act: open } })
  const go = () => {
    if (!held) return feed.hold()
    setOpened('')
    feed.follow()
    scroller()?.scrollTo({ top: 0 })
  }
  useKeys([{ key: 'p', does: held ? 'follow the log again' : 'hold what is shown', act: go }])
  const place = (id: string) => {
    const { onFocus, ...rest } = row(id)
    return { ...rest, onFocus: (e: React.FocusEvent<HTMLElement>) => { feed.hold(); onFocus?.(e) } }
  }
  const narrowed = [type, actor, run, stream, words].some((w) => w !== '')
  const [here, goTo] = usePlace()
  const { hold } = feed
  useEffect(() => {
    const box = scroller()
    const onMove = () => (box?.scrollTop ?? 0) > readingFrom && hold() // who reads further down is not moved
    const moves = ['wheel', 'touchmove', 'pointerup', 'keyup'] as const // and not what the list does by itself
    for (const m of moves) box?.addEventListener(m, onMove, { passive: true })
    return () => { for (const m of moves) box?.removeEventListener(m, onMove) }
  }, [scroller, hold])
  const foot = useDeferredValue(!feed.pending, false) // it is drawn under the events, not before them
  return (
    <section>
      <h2 className="flex flex-wrap items-baseline gap-x-3">
        Log
        <button type="button" className={`plain text-base ${held ? 'text-warn!' : 'text-up!'}`} onClick={go} aria-pressed={held}>
          {held ? `held, ${feed.meanwhile} came meanwhile` : 'following'} <kbd>p</kbd>
        </button>
        <span className="text-base text-muted" data-testid="rate">{few(feed.rate)}/s</span>
      </h2>
      <div className="row">
        <Narrowing name="Type" hint="Type, desk.*" value={type} onChange={setType} list={spaces} />
        <Narrowing name="Actor" hint="Actor" value={actor} onChange={setActor} list={(agents.data ?? []).map((a) => agentName(a))} />
        <Narrowing name="Run" hint="Run" value={run} onChange={setRun} />
        <Narrowing name="Stream" hint="Stream" value={stream} onChange={setStream} />
        <Narrowing name="Words" hint="Words in a row" value={words} onChange={setWords} />
        {narrowed && <button type="button" onClick={() => goTo(here.project ? { project: here.project } : {})}>Show all</button>}
        <Verify />
      </div>
      <State pending={feed.pending} error={feed.error} empty={rows.length === 0} hint={narrowed ? 'No event fits. Ask for less above, or wait: what comes shows by itself.' : 'Nothing is recorded yet.'}>
        <div className={`sticky top-0 z-1 hidden border-b border-line bg-bg text-muted ${columns}`} aria-hidden="true">
          <span className="text-right">seq</span><span>time</span><span>type</span><span>from</span><span>stream</span><span>payload</span>
        </div>
        <LongList
          label="Events" count={rows.length} rowKey={(i) => ids[i] ?? ''} place={place} onEnd={feed.more} height={20} pinned={!held} about={() => ({ className: 'border-b border-line/40' })}
          row={(i) => {
            const r = rows[i]
            if (!r) return null
            return (
              <>
                <LogRow of={r} who={who(r.from)} onOpen={() => open(String(r.seq))} />
                {opened === String(r.seq) && <div className="my-1 ml-4 border-l-2 border-line pl-3"><Event seq={r.seq} /></div>}
              </>
            )
          }}
        />
      </State>
      {foot && (
        <p className="text-muted">
          {feed.end ? 'That is the beginning of what fits.' : feed.full ? 'Ask for less above to look further back.' : 'Older events come as you scroll.'}
          {!feed.end && !feed.full && rows.length < 200 && <> It was looked back to event {feed.looked}. <button type="button" className="px-2 py-0" onClick={feed.more}>Look further back</button></>}
        </p>
      )}
    </section>
  )
}

/** Narrowing is a field that narrows when Enter is pressed or it is left. */
function Narrowing(p: { name: string; hint: string; value: string; onChange: (to: string) => void; list?: string[] }) {
  return (
    <form
      className="min-w-[13ch] flex-1"
      onSubmit={(e) => { e.preventDefault(); p.onChange(String(new FormData(e.currentTarget).get('word') ?? '').trim()) }}
      onBlur={(e) => p.value !== e.currentTarget.querySelector('input')?.value.trim() && e.currentTarget.requestSubmit()}
    >
      <input key={p.value} name="word" aria-label={p.name} className="w-full min-w-0!" placeholder={p.hint} defaultValue={p.value} list={p.list ? `log-${p.name}` : undefined} />
      {p.list && <datalist id={`log-${p.name}`}>{p.list.map((o) => <option key={o} value={o} />)}</datalist>}
    </form>
  )
}
