import { type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { api, must, type Schemas } from '../../api/client'
import { type Row, rowOf, watch } from '../../api/stream'
import { admits, came, deepest, empty, type Feed, follow, hold, type Narrow, older } from '../../lib/feed'

/** page is how many events are asked for at once, mostPages how many pages are asked for until some fit the words, and to fill a gap. */
const page = 200
const mostPages = 10

/** few are so few rows that older events are looked at by themselves, mostLooks times. */
const few = 30
const mostLooks = 4

/** often is how often what comes is shown, in milliseconds: often enough to be alive, seldom enough that keys come first. */
const often = 150

/** query is what the daemon narrows by. */
const query = (n: Narrow) => ({ type: n.type || undefined, actor: n.actor || undefined, run: n.run || undefined, stream: n.stream || undefined })

const all: Narrow = { type: '', actor: '', run: '', stream: '', words: '' }

type Newest = Schemas['LogPage']

/** askNewest asks for the newest events that the daemon finds fit, those before a position when it is given. */
const askNewest = (n: Narrow, before = 0): Promise<Newest> =>
  must(api.GET('/api/log', { params: { query: { ...query(n), newest: true, limit: page, ...(before > 0 ? { after: before } : {}) } } }))

/** newestQuery holds the newest events from before the log is drawn until it is. */
const newestQuery = (n: Narrow) => queryOptions({ queryKey: ['newest', query(n)], queryFn: () => askNewest(n) })

/** askEvents asks for what the log shows first. */
export const askEvents = (queries: QueryClient) => queries.prefetchQuery(newestQuery(all))

/** endOf is where the log ended when the newest events were asked for. */
const endOf = (got: Newest) => Math.max(got.end, got.events?.[0]?.seq ?? 0)

/** beginning is a feed of the newest events. */
function beginning(got: Newest, wanted: Narrow): Feed {
  const found = (got.events ?? []).map((e) => rowOf(e))
  return { ...empty, rows: found.filter((r) => admits(wanted, r)), end: found.length < page, looked: found.at(-1)?.seq ?? 0 }
}

/** Tail is the log as a view shows it. */
export type Tail = Feed & { pending: boolean; error: Error | null; rate: number; hold: () => void; follow: () => void; more: () => void; full: boolean }

/**
 * useFeed follows the log: the newest events that fit, those that come, and older ones as
 * one asks. When the stream comes back after a break, what was missed is asked for.
 */
export function useFeed(narrow: Narrow): Tail {
  const key = JSON.stringify(narrow)
  const wanted = useMemo(() => JSON.parse(key) as Narrow, [key])
  const queries = useQueryClient()
  const brought = useRef(queries.getQueryData(newestQuery(wanted).queryKey)) // what was asked before the log was drawn
  const [feed, setFeed] = useState<Feed>(() => (brought.current ? beginning(brought.current, wanted) : empty))
  const [pending, setPending] = useState(!brought.current)
  const [error, setError] = useState<Error | null>(null)
  const [rate, setRate] = useState(0)
  const asking = useRef(false)
  const looks = useRef(0)
  const now = useRef(feed)
  now.current = feed

  useEffect(() => {
    let gone = false
    let rows: Row[] = []
    let seen = 0 // events, whether they fit or not, since the rate was told
    const had = brought.current
    let filling = !had // what comes is kept back until what came before it is here
    let newest = had ? endOf(had) : 0
    let again = false // the stream came up before the first answer
    looks.current = 0
    setRate(0)
    const show = () => {
      if (filling || rows.length === 0) return
      const some = rows
      rows = []
      newest = Math.max(newest, some.at(-1)?.seq ?? 0)
      setFeed((f) => came(f, some))
    }
    const stop = watch((h) => {
      if (h.rows) {
        seen += h.rows.length
        for (const r of h.rows) if (admits(wanted, r)) rows.push(r)
        if (rows.length > deepest) rows = rows.slice(-deepest)
      }
      if (h.up) void fill()
    })
    const timer = setInterval(show, often)
    const beat = setInterval(() => {
      setRate(seen)
      seen = 0
    }, 1_000)
    const failed = (e: unknown) => {
      if (!gone) setError(e instanceof Error ? e : new Error(String(e)))
    }
    /** fill asks for what was recorded since the newest that is known. */
    const fill = async () => {
      if (newest === 0) {
        again = true
        return
      }
      filling = true
      try {
        for (let i = 0; i < mostPages; i++) {
          const got = await must(api.GET('/api/log', { params: { query: { ...query(wanted), after: newest, limit: page } } }))
          if (gone) return
          const missed = (got.events ?? []).map((e) => rowOf(e))
          newest = Math.max(newest, got.end)
          setFeed((f) => came(f, missed.filter((r) => admits(wanted, r))))
          if (missed.length < page) break
          if (i === mostPages - 1) return void first() // too far behind: the newest are shown, the others are asked for below
        }
        setError(null)
      } catch (e) {
        failed(e)
      } finally {
        filling = false
      }
    }
    /** first asks for the newest events. */
    const first = async () => {
      try {
        const got = await askNewest(wanted)
        if (gone) return
        newest = endOf(got)
        setFeed(beginning(got, wanted))
        setError(null)
      } catch (e) {
        failed(e)
      } finally {
        filling = false
        if (!gone) setPending(false)
        if (!gone && again && newest > 0) void fill()
      }
    }
    brought.current = undefined
    queries.removeQueries({ queryKey: newestQuery(wanted).queryKey }) // what comes from now on would be missing from it
    if (!had) {
      setFeed(empty)
      setPending(true)
      void first()
    }
    return () => {
      gone = true
      stop()
      clearInterval(timer)
      clearInterval(beat)
    }
  }, [wanted, queries])

  const more = useCallback(() => {
    const f = now.current
    if (asking.current || f.end || f.rows.length >= deepest || pending) return
    asking.current = true
    const ask = async () => {
      let before = f.looked
      for (let i = 0; i < mostPages; i++) {
        const got = await askNewest(wanted, before)
        const found = (got.events ?? []).map((e) => rowOf(e))
        const fit = found.filter((r) => admits(wanted, r))
        before = found.at(-1)?.seq ?? before
        const end = found.length < page
        const at = before
        setFeed((f) => older(f, fit, at, end))
        if (fit.length > 0 || end) return
      }
    }
    ask().catch((e: unknown) => setError(e instanceof Error ? e : new Error(String(e)))).finally(() => {
      asking.current = false
    })
  }, [wanted, pending])
  const { rows: shown, end, looked } = feed
  useEffect(() => {
    if (pending || end || shown.length >= few || looked === 0 || looks.current >= mostLooks) return
    looks.current++
    more()
  }, [pending, end, shown.length, looked, more])
  return { ...feed, pending, error, rate, full: feed.rows.length >= deepest, hold: useCallback(() => setFeed(hold), []), follow: useCallback(() => setFeed(follow), []), more }
}
