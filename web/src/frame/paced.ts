/**
 * paced writes what is said: a few at once, and when more come, the newest of them every so
 * many milliseconds. flush writes now what waits; drop forgets it. Chrome takes 200 changes
 * of the address in 30 s; these are 170 at most, and leave room for steps of the history.
 */
export function paced(write: (what: string) => void, few = 20, every = 200) {
  let left = few // that may be written at once
  let waiting: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    const what = waiting
    waiting = undefined
    if (what !== undefined) write(what)
  }
  const next = () => {
    if (waiting === undefined) left++
    else flush()
    timer = left < few ? setTimeout(next, every) : undefined
  }
  return {
    say(what: string) {
      waiting = what
      if (timer === undefined) timer = setTimeout(next, every)
      if (left === 0) return
      left--
      flush()
    },
    flush,
    drop() {
      waiting = undefined
    },
  }
}
