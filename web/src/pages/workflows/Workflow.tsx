import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { api, must } from '../../api/client'
import { graphOf } from '../../lib/graph'
import { useKeys } from '../../lib/pane'
import { useWord } from '../../lib/project'
import { recent } from '../../lib/when'
import { useWho } from '../../lib/who'
import { State } from '../../ui/State'
import { Canvas } from './Canvas'
import { Source } from './Source'

/** Workflow shows a version of a workflow on its canvas, and its file beside it. */
export function Workflow() {
  const { id } = useParams({ strict: false }) as { id: string }
  return <Version key={id} slug={id} />
}

function Version({ slug }: { slug: string }) {
  const navigate = useNavigate()
  const who = useWho()
  const [version, setVersion] = useWord('version')
  const [chosen, choose] = useState('')
  const [file, setFile] = useState(false)
  const number = Number(version) || 0
  const q = useQuery({ queryKey: ['workflow', 'version', slug, number], queryFn: () => must(api.GET('/api/workflows/{slug}', { params: { path: { slug }, query: number > 0 ? { version: number } : {} } })) })
  const w = q.data
  const graph = useMemo(() => graphOf(w?.steps ?? []), [w?.steps])
  useKeys([
    { key: 'y', does: file ? 'hide the file' : 'show the file', act: () => setFile(!file) },
    { key: 'Escape', does: file ? 'hide the file' : 'back to the workflows', act: () => (file ? setFile(false) : void navigate({ to: '/workflows' } as never)) },
    { key: 'u', does: 'back to the workflows', act: () => void navigate({ to: '/workflows' } as never) },
  ])
  return (
    <section className="absolute inset-0 flex flex-col gap-1 px-4 py-3">
      <div className="flex flex-wrap items-baseline gap-x-4">
        <h2 className="m-0!">{w?.name ?? slug}</h2>
        {w && (
          <>
            <select aria-label="Version" className="py-0!" value={w.version} onChange={(e) => setVersion(e.target.value)}>
              {w.versions.map((v) => <option key={v.version} value={v.version}>version {v.version}, {v.state}</option>)}
            </select>
            <span className="text-muted">saved {recent(w.saved_at)} by {who(w.saved_by.agent_id)}</span>
            <button type="button" className="ml-auto px-2 py-0" aria-pressed={file} onClick={() => setFile(!file)}>File <kbd>y</kbd></button>
          </>
        )}
      </div>
      <State pending={q.isPending} error={q.error}>
        {w?.description && <p className="m-0! truncate text-muted">{w.description}</p>}
        {w?.problem && <p className="danger" role="alert">{w.problem}</p>}
        {w && (
          <div className={`grid min-h-0 flex-1 gap-2 ${file ? 'grid-rows-2 @4xl:grid-cols-2 @4xl:grid-rows-1' : ''}`}>
            <Canvas key={w.version} label={`Steps of ${w.name}`} graph={graph} chosen={chosen} onChoose={choose} onOpen={() => setFile(true)} />
            {file && <Source text={w.source} line={graph.steps.get(chosen)?.line ?? 0} onClose={() => setFile(false)} />}
          </div>
        )}
      </State>
    </section>
  )
}
