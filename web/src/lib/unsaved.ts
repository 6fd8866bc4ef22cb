import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { usePane } from './pane'

/** written are the forms of a pane in which something is written that is not saved. */
const written = new Map<string, Set<symbol>>()

/** elsewhere says whether an address shows another view, project or moment: its forms are others. */
export function elsewhere(from: string, to: string): boolean {
  const [a, b] = [new URL(from, 'http://pane'), new URL(to, 'http://pane')]
  return a.pathname !== b.pathname || ['project', 'asOf'].some((p) => a.searchParams.get(p) !== b.searchParams.get(p))
}

/** mayLeave says whether panes may show something else: it asks when something in them is not saved. */
export function mayLeave(panes: string[]): boolean {
  return !panes.some((p) => written.has(p)) || confirm('What you wrote is not saved, and is lost when you leave. Leave?')
}

/**
 * useUnsaved asks before something is lost that is written and not saved: the browser before the page is closed or loaded anew, and the page
 * before it shows something else in the pane. What is kept by the view itself is only lost with the page.
 */
export function useUnsaved(unsaved: boolean, kept = false) {
  const { id } = usePane()
  const { history } = useRouter()
  useEffect(() => {
    if (!unsaved) return
    const ask = (e: BeforeUnloadEvent) => e.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [unsaved])
  useEffect(() => {
    if (!unsaved || kept) return
    const form = Symbol()
    const forms = written.get(id) ?? new Set()
    written.set(id, forms.add(form))
    const free = history.block({
      enableBeforeUnload: false,
      blockerFn: ({ currentLocation, nextLocation }: { currentLocation: { href: string }; nextLocation: { href: string } }) => [...forms][0] === form && elsewhere(currentLocation.href, nextLocation.href) && !mayLeave([id]), // one asks for all
    })
    return () => {
      free()
      forms.delete(form)
      if (forms.size === 0 && written.get(id) === forms) written.delete(id)
    }
  }, [unsaved, kept, id, history])
}
