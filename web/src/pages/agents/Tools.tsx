import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, must } from '../../api/client'
import { count } from '../../lib/count'

const grave: { [risk: string]: string } = { READ_ONLY: 'text-muted', WRITE_RECORDS: 'text-text', NETWORK_CALLS: 'text-warn', SEND: 'text-warn', WRITE_FILES: 'text-warn', EXEC_SHELL: 'text-danger' }

/** Tools chooses what an agent may call, each with its help and what it does to the world. */
export function Tools({ chosen, onChange }: { chosen: string[]; onChange: (to: string[]) => void }) {
  const [words, setWords] = useState('')
  const q = useQuery({ queryKey: ['tool'], queryFn: () => must(api.GET('/api/tools')) })
  const every = chosen.includes('*')
  const known = (q.data ?? []).flatMap((t) => [{ name: t.name, risk: t.risk, help: t.description }, ...(t.parts ?? []).map((p) => ({ name: p.name, risk: p.risk, help: `Only this of ${t.name}.` }))])
  const strange = chosen.filter((n) => n !== '*' && !known.some((t) => t.name === n)).map((name) => ({ name, risk: '', help: 'No such tool is known here.' }))
  const sought = words.trim().toLowerCase()
  const shown = [...strange, ...known].filter((t) => sought === '' || `${t.name} ${t.help}`.toLowerCase().includes(sought)).sort((a, b) => Number(chosen.includes(b.name)) - Number(chosen.includes(a.name)))
  const turn = (name: string, on: boolean) => onChange(on ? [...chosen, name] : chosen.filter((n) => n !== name))
  return (
    <fieldset aria-label="Tools">
      <div className="mb-1 flex flex-wrap items-center gap-3 text-xs">
        <span className="text-muted">Tools: <span data-testid="tools">{every ? 'all' : count(chosen.length, 'tool')}</span></span>
        <label className="flex items-center gap-1.5"><input type="checkbox" className="accent-accent" checked={every} onChange={(e) => onChange(e.target.checked ? ['*'] : [])} /> all there are</label>
        <input aria-label="Words in tools" placeholder="Find a tool" value={words} onChange={(e) => setWords(e.target.value)} className="ml-auto py-0.5!" />
      </div>
      <div className="max-h-72 overflow-y-auto border border-line">
        {shown.map((t) => (
          <label key={t.name} className="flex cursor-pointer items-start gap-2 border-b border-line/50 px-2 py-0.5 hover:bg-panel">
            <input type="checkbox" className="mt-1 accent-accent" checked={every || chosen.includes(t.name)} disabled={every} onChange={(e) => turn(t.name, e.target.checked)} />
            <span className="min-w-0 flex-1"><span className={grave[t.risk] ?? 'text-danger'}>{t.name}</span> <span className="text-xs text-muted">{t.risk}</span><span className="line-clamp-2 text-xs text-muted">{t.help}</span></span>
          </label>
        ))}
        {shown.length === 0 && <p className="px-2 text-muted">{q.isPending ? 'Loading…' : 'No tool has these words.'}</p>}
      </div>
    </fieldset>
  )
}
