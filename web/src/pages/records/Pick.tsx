import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useId, useState } from 'react'
import { api, must } from '../../api/client'
import { kinds } from '../../lib/kinds.gen'
import { titleOf, useTitles } from '../../lib/titles'

/** Pick chooses records of a kind by their titles; the value is their ids, one a line. */
export function Pick(p: { project: string; kind: string; label: string; one: boolean; value: string; onChange: (value: string) => void }) {
  const list = useId()
  const [text, setText] = useState('')
  const words = useDeferredValue(text.trim())
  const ids = p.value.split('\n').filter(Boolean)
  const titles = useTitles(p.project, ids)
  const found = useQuery({
    queryKey: [p.kind, p.project, 'pick', words],
    queryFn: () => must(api.GET(`/api/projects/{project}/${kinds[p.kind]?.plural ?? 'tickets'}` as '/api/projects/{project}/tickets', { params: { path: { project: p.project }, query: { q: words || undefined, newest: true, limit: 20 } } })),
    placeholderData: keepPreviousData,
  })
  const offers = (found.data?.items ?? []).map((r) => ({ id: r.id, title: titleOf(r) })).filter((o) => !ids.includes(o.id))
  const take = (id: string | undefined) => {
    if (!id) return
    p.onChange([...(p.one ? [] : ids), id].join('\n'))
    setText('')
  }
  const typed = (value: string) => {
    setText(value)
    take(offers.find((o) => o.title === value)?.id) // one of the list was chosen
  }
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-1">
      {ids.map((id) => {
        const title = titles.get(id)?.title ?? id
        return (
          <span key={id} className="inline-flex max-w-full items-center gap-1 border border-line px-2">
            <span className="truncate">{title}</span>
            <button type="button" className="border-0 px-0.5 py-0" aria-label={`Take ${title} out`} onClick={() => p.onChange(ids.filter((x) => x !== id).join('\n'))}>×</button>
          </span>
        )
      })}
      <input
        aria-label={p.label} list={list} placeholder={p.one && ids.length > 0 ? 'another one' : 'add one by its title'} className="min-w-[16ch] flex-1" value={text} onChange={(e) => typed(e.target.value)}
        onKeyDown={(e) => {
          if (e.key !== 'Enter' || text.trim() === '' || e.ctrlKey || e.metaKey) return
          e.preventDefault()
          take(offers[0]?.id)
        }}
      />
      <datalist id={list}>{offers.map((o) => <option key={o.id} value={o.title} />)}</datalist>
    </div>
  )
}
