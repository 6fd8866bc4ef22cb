import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { api, must } from '../../api/client'
import { titleOf } from '../../lib/titles'
import { Chooser } from '../../ui/Chooser'
import { Failed } from '../../ui/State'
import type { Rec } from './quick'
import { narrowed, type Way, ways } from './relations'
import { usePatch } from './usePatch'

type Other = { id: string; kind: string; version: number; projectId: string; body: unknown }

/** Link links a ticket with another record, which is found by its key or its words. Alt and a number chooses how. */
export function Link(p: { of: Rec; title: string; onClose: () => void }) {
  const queries = useQueryClient()
  const [way, setWay] = useState<Way>(ways[0] as Way)
  const [text, setText] = useState('')
  const words = useDeferredValue(text.trim())
  const patch = usePatch()
  const plural = way.kind === 'ticket' ? 'tickets' : 'objectives'
  const found = useQuery({
    queryKey: [way.kind, p.of.projectId, 'link', words],
    queryFn: () => must(api.GET(`/api/projects/{project}/${plural}` as '/api/projects/{project}/tickets', { params: { path: { project: p.of.projectId }, query: { ...narrowed(way.kind, words), newest: true, limit: 20 } } })),
    placeholderData: keepPreviousData,
  })
  const others: Other[] = (found.data?.items ?? []).filter((r) => r.id !== p.of.id)
  const choose = (id: string) => {
    const other = others.find((o) => o.id === id)
    if (!other) return
    const [from, to] = way.other ? [other, p.of] : [p.of, other]
    const had = (from.body as { [field: string]: unknown })[way.field]
    const value = way.one ? to.id : [...new Set([...(Array.isArray(had) ? had : []), to.id])]
    patch.mutate({ of: from, set: { [way.field]: value }, said: `${p.title} ${way.name} ${titleOf(other)}` }, {
      onSuccess: () => {
        void queries.invalidateQueries({ queryKey: ['ticket'] })
        p.onClose()
      },
    })
  }
  return (
    <Chooser title="Link" hint={way.kind === 'ticket' ? 'A key or words of a ticket' : 'Words of an objective'} search={setText} onClose={p.onClose} onChoose={choose}
      of={others.map((o) => ({ value: o.id, title: titleOf(o), hint: String((o.body as { externalRef?: string }).externalRef ?? '') }))}
    >
      <div
        className="mb-2 flex flex-wrap items-center gap-1"
        ref={(el) => {
          const box = el?.closest<HTMLElement>('[cmdk-root]')
          if (!box) return
          const onKey = (e: KeyboardEvent) => {
            const to = e.altKey ? ways[Number(e.key) - 1] : undefined
            if (!to) return
            e.preventDefault()
            setWay(to)
          }
          box.addEventListener('keydown', onKey)
          return () => box.removeEventListener('keydown', onKey)
        }}
      >
        <span className="mr-1 max-w-[24ch] truncate text-muted">{p.title}</span>
        {ways.map((w, i) => <button key={w.name} type="button" aria-pressed={w.name === way.name} className="px-2 py-0" onClick={() => setWay(w)}>{w.name} <kbd>Alt {i + 1}</kbd></button>)}
      </div>
      <Failed of={patch.error} />
    </Chooser>
  )
}
