import { Toast } from '@base-ui/react/toast'
import { useEffect } from 'react'
import { useKeys } from '../lib/pane'
import { hearToasts, type Said, takeBack } from './toast'

/** shown is how long a toast stays, in milliseconds; one that can be taken back stays longer. */
const shown = { plain: 5_000, undo: 12_000 }

/** Toasts shows what was done, at the foot of the page; F6 goes to it, u takes the last back. */
export function Toasts() {
  return (
    <Toast.Provider limit={4}>
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-12 z-50 flex w-[min(34rem,92vw)] flex-col gap-2"><List /></Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function List() {
  const { toasts, add, close } = Toast.useToastManager<{ said: Said }>()
  useEffect(() => hearToasts((said) => {
    if (said.takes) close(String(said.takes))
    add({ id: String(said.id), title: said.text, type: said.bad ? 'bad' : 'done', priority: said.bad ? 'high' : 'low', timeout: said.undo ? shown.undo : shown.plain, data: { said } })
  }), [add, close])
  useKeys(toasts.some((t) => t.data?.said.undo) ? [{ key: 'u', does: 'take back what was done last', act: () => void takeBack() }] : [])
  return toasts.map((t) => (
    <Toast.Root key={t.id} toast={t} className={`flex items-center gap-3 border bg-panel px-3 py-2 data-limited:hidden ${t.type === 'bad' ? 'border-danger' : 'border-faint'}`}>
      <Toast.Title render={<span />} className={`min-w-0 flex-1 wrap-anywhere font-normal! ${t.type === 'bad' ? 'text-danger' : 'text-strong'}`} />
      {t.data?.said.undo && <button type="button" className="px-2 py-0" onClick={() => { takeBack(t.data?.said); close(t.id) }}>Undo <kbd>Ctrl Z</kbd></button>}
      <Toast.Close aria-label="Close" className="plain px-1! text-muted!">×</Toast.Close>
    </Toast.Root>
  ))
}
