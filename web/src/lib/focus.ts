import { usePane } from './pane'

const first = 'data-first'

/** takeFocus gives the first field of a form the focus when it appears; one function for all renders, or it would again at each. */
export const takeFocus = (field: HTMLElement | null) => {
  field?.setAttribute(first, '')
  field?.focus()
}

/** useReturn returns what puts the focus back into the form that is open in the pane, if one is: its key means it again, not the keys of the list. */
export function useReturn(): () => void {
  const { scroller } = usePane()
  return () => scroller()?.querySelector<HTMLElement>(`[${first}]`)?.focus()
}
