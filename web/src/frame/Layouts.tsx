import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, must } from '../api/client'
import { asFilter } from '../lib/filters'
import { addressIn, common, type Layout, ownKey, useLayouts } from '../lib/layouts'
import { useProject } from '../lib/project'
import { Icon } from '../ui/Icon'
import { Popover } from '../ui/Popover'
import { Failed } from '../ui/State'
import { format } from './desk'
import { now, show } from './store'

/** useChange saves and removes layouts; the daemon keeps them, so every browser of a person has them. */
function useChange() {
  const queries = useQueryClient()
  const onSuccess = (have: Layout[] | null) => queries.setQueryData(ownKey, have)
  const save = useMutation({ mutationFn: (name: string) => must(api.PUT('/api/me/layouts/{name}', { params: { path: { name } }, body: { address: format(now()) } })), onSuccess })
  const remove = useMutation({ mutationFn: (name: string) => must(api.DELETE('/api/me/layouts/{name}', { params: { path: { name } } })), onSuccess })
  return { save, remove }
}

/** Layouts opens an arrangement of panes, and keeps the one that is shown. Alt S opens the list. */
export function Layouts() {
  const project = useProject()
  const [open, setOpen] = useState(false)
  const [name, setName] = useState('')
  const own = useLayouts()
  const arranged = (own.data ?? []).filter((l) => !asFilter(l))
  const { save, remove } = useChange()
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (!e.altKey || e.ctrlKey || e.metaKey || e.code !== 'KeyS') return
      e.preventDefault()
      setOpen(true)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  const go = (address: string) => {
    setOpen(false)
    show(address, 'push')
  }
  return (
    <Popover label="Layouts" open={open} onOpen={setOpen} button={{ label: 'Layouts', title: 'Layouts   Alt S', className: 'flex items-center gap-2', shows: <Icon of="layout" /> }} className="w-72 p-2">
      {common.map((l) => (
        <button key={l.name} type="button" className="block w-full border-transparent! bg-transparent! px-2! py-0.5! text-left hover:bg-selected!" onClick={() => go(addressIn(l.address, project))}>{l.name}</button>
      ))}
      {arranged.length > 0 && <p className="m-0! border-t border-line pt-1 text-muted">Yours</p>}
      {arranged.map((l) => (
        <div key={l.name} className="flex">
          <button type="button" className="min-w-0 flex-1 truncate border-transparent! bg-transparent! px-2! py-0.5! text-left" onClick={() => go(l.address)}>{l.name}</button>
          <button type="button" aria-label={`Remove ${l.name}`} className="border-transparent! bg-transparent! px-2! py-0!" disabled={remove.isPending} onClick={() => remove.mutate(l.name)}><Icon of="close" /></button>
        </div>
      ))}
      <form
        className="mt-1 flex gap-1 border-t border-line pt-2"
        onSubmit={(e) => {
          e.preventDefault()
          if (name.trim() !== '') save.mutate(name.trim(), { onSuccess: () => setName('') })
        }}
      >
        <input aria-label="Name of the layout" placeholder="Keep this as" className="min-w-0 flex-1" maxLength={60} value={name} onChange={(e) => setName(e.target.value)} />
        <button type="submit" disabled={save.isPending || name.trim() === ''}>Keep</button>
      </form>
      <Failed of={save.error ?? remove.error ?? own.error} />
    </Popover>
  )
}
