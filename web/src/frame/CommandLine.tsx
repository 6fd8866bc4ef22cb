import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { useDeferredValue, useEffect, useRef, useState } from 'react'
import { api, must } from '../api/client'
import { askAtOnce } from '../lib/asked'
import { suggest, type Suggestion } from '../lib/command'
import { addressIn, common, useLayouts } from '../lib/layouts'
import { useProject, useProjects } from '../lib/project'
import { useTour } from '../lib/tour'
import { opened } from './desk'
import { change, now, routerOf, show } from './store'

/** useKnown is what the command line can name, asked for while it is open. */
function useKnown(open: boolean, text: string) {
  const project = useProject()
  const projects = useProjects()
  const own = useLayouts()
  const runs = useQuery({ queryKey: ['run', 'list'], enabled: open, queryFn: () => must(api.GET('/api/runs')) })
  const words = useDeferredValue(text.trim())
  const records = useQuery({
    queryKey: ['record', 'command', project, words],
    enabled: open && words.length > 2 && project !== '',
    queryFn: () => must(api.GET('/api/search', { params: { query: { q: words, projectId: project, limit: 5 } } })),
    placeholderData: keepPreviousData,
    retry: false,
  })
  return {
    projects: (projects.data?.items ?? []).map((p) => ({ id: p.id, name: p.body.name })),
    layouts: [...(own.data ?? []), ...common.map((l) => ({ ...l, address: addressIn(l.address, project) }))],
    runs: (runs.data ?? []).map((r) => ({ id: r.id, title: r.title, state: r.state })),
    records: words.length > 2 ? (records.data?.items ?? []).map((r) => ({ id: r.id, kind: r.kind, title: (r.title ?? []).map((p) => p.text).join('') })) : [],
  }
}

/** CommandLine takes codes, names and questions: Ctrl K or / goes to it from anywhere. With Shift, what is chosen is shown in a new pane. */
export function CommandLine() {
  const navigate = useNavigate()
  const { begin } = useTour()
  const field = useRef<HTMLInputElement>(null)
  const aside = useRef(false) // into a new pane
  const [open, setOpen] = useState(false)
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState('')
  const lines = suggest(text, useKnown(open, text))
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      const writing = /^(INPUT|TEXTAREA|SELECT)$/.test((e.target as HTMLElement).tagName)
      const wanted = (e.key === 'k' && (e.ctrlKey || e.metaKey)) || (e.key === '/' && !writing && !e.ctrlKey && !e.metaKey && !e.altKey)
      if (!wanted) return
      e.preventDefault()
      field.current?.focus()
      field.current?.select()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  const done = () => {
    setText('')
    setOpen(false)
    field.current?.blur()
  }
  const go = (s: Suggestion) => {
    if (s.target.tour) {
      done()
      return begin()
    }
    if (s.target.layout !== undefined) {
      done()
      return show(s.target.layout, 'push')
    }
    if (aside.current) change((d) => opened(d, d.hrefs[d.at] ?? '/', 'row'), 'push')
    if (s.target.ask) askAtOnce(s.target.ask)
    done()
    const { to, params, search } = s.target
    const pane = aside.current ? routerOf(now().at).navigate : navigate
    void pane({ to, params, search: search ?? {} } as never)
  }
  return (
    <Command
      label="Command"
      shouldFilter={false}
      value={lines.some((l) => l.id === chosen) ? chosen : (lines[0]?.id ?? '')}
      onValueChange={setChosen}
      className={`min-w-0 flex-1 ${open ? 'sm:relative max-sm:fixed max-sm:inset-x-2 max-sm:z-30' : 'relative'}`} // on a phone it takes the whole width while somebody writes
      onBlur={(e) => !e.currentTarget.contains(e.relatedTarget) && setOpen(false)}
      onKeyDown={(e) => {
        aside.current = e.shiftKey
        if (e.key === 'Escape') setOpen(false)
      }}
    >
      <Command.Input
        ref={field}
        aria-label="Command"
        placeholder="Code, name or question   Ctrl K"
        className="w-full"
        value={text}
        onValueChange={(v) => {
          setText(v)
          setChosen('') // the likeliest
          setOpen(true)
        }}
        onFocus={() => setOpen(true)}
      />
      <Command.List aria-label="Suggestions" hidden={!open} className="absolute inset-x-0 top-full z-20 max-h-[70vh] overflow-y-auto border border-accent bg-panel py-1">
        {open && lines.map((s) => (
          <Command.Item key={s.id} value={s.id} onSelect={() => go(s)} onMouseDown={(e) => {
            aside.current = e.shiftKey
            e.preventDefault()
          }} className="flex cursor-pointer gap-3 px-2 py-0.5 data-[selected=true]:bg-selected">
            <span className="w-[5ch] shrink-0 text-accent">{s.code}</span>
            <span className="truncate">{s.label}</span>
            <span className="ml-auto shrink-0 truncate pl-3 text-muted max-sm:hidden">{s.hint}</span>
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  )
}
