import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { api, must, type Schemas } from '../../api/client'
import { graphOf } from '../../lib/graph'
import { useMay } from '../../lib/me'
import { useKeys } from '../../lib/pane'
import { useWord } from '../../lib/project'
import { recent } from '../../lib/when'
import { useWho } from '../../lib/who'
import { State } from '../../ui/State'
import { Canvas } from './Canvas'
import { Draft } from './Draft'
import { useDraft } from './draft'
import { Failures } from './Failures'
import { Source } from './Source'

/** Workflow shows a workflow on its canvas: its draft, which is edited there, or a version that is saved. */
export function Workflow() {
  const { id } = useParams({ strict: false }) as { id: string }
  return <Shown key={id} slug={id} />
}

function Shown({ slug }: { slug: string }) {
  const navigate = useNavigate()
  const may = useMay('editor')
  const [version, setVersion] = useWord('version')
  const number = Number(version) || 0
  const draft = useDraft(slug)
  const q = useQuery({ queryKey: ['workflow', 'version', slug, number], queryFn: () => must(api.GET('/api/workflows/{slug}', { params: { path: { slug }, query: number > 0 ? { version: number } : {} } })), enabled: number > 0 || (draft.q.data?.version ?? 0) > 0 })
  const w = q.data
  const d = draft.q.data
  const back = () => void navigate({ to: '/workflows' } as never)
  const drafted = number === 0
  return (
    <section className="absolute inset-0 flex flex-col gap-1 px-4 py-3">
      <div className="flex flex-wrap items-baseline gap-x-4">
        <h2 className="m-0!">{(drafted && nameIn(d?.source)) || (w?.name ?? slug)}</h2>
        <select aria-label="Version" className="py-0!" value={version} onChange={(e) => setVersion(e.target.value)}>
          <option value="">the draft</option>
          {(w?.versions ?? []).map((v) => <option key={v.version} value={v.version}>version {v.version}, {v.state}</option>)}
        </select>
      </div>
      {w && <Failures of={w.failures} />}
      {drafted && <State pending={draft.q.isPending} error={draft.q.error}>{d && <Draft of={d} by={draft} may={may} onBack={back} />}</State>}
      {!drafted && <State pending={q.isPending} error={q.error}>{w && <Version key={w.version} of={w} onBack={back} />}</State>}
    </section>
  )
}

/** nameIn is the name that a file says. */
const nameIn = (source = '') => /^name: *"?(.*?)"? *$/m.exec(source)?.[1] ?? ''

/** Version is a version as it was saved, with its file. */
function Version({ of: w, onBack }: { of: Schemas['WorkflowWhole']; onBack: () => void }) {
  const who = useWho()
  const [chosen, choose] = useState('')
  const [file, setFile] = useState(false)
  const graph = useMemo(() => graphOf(w.steps), [w.steps])
  useKeys([
    { key: 'y', does: file ? 'hide the file' : 'show the file', act: () => setFile(!file) },
    { key: 'Escape', does: file ? 'hide the file' : 'back to the workflows', act: () => (file ? setFile(false) : onBack()) },
  ])
  return (
    <>
      <p className="m-0! flex flex-wrap items-baseline gap-x-4 text-muted">
        <span>saved {recent(w.saved_at)} by {who(w.saved_by.agent_id)}</span><span className="min-w-0 flex-1 truncate">{w.description}</span>
        <button type="button" className="px-2 py-0" aria-pressed={file} onClick={() => setFile(!file)}>File <kbd>y</kbd></button>
      </p>
      {w.problem && <p className="danger m-0!" role="alert">{w.problem}</p>}
      <div className={`grid min-h-0 flex-1 gap-2 ${file ? 'grid-rows-2 @4xl:grid-cols-2 @4xl:grid-rows-1' : ''}`}>
        <Canvas label={`Steps of ${w.name}`} graph={graph} chosen={chosen} onChoose={choose} onOpen={() => setFile(true)} />
        {file && <Source text={w.source} line={graph.steps.get(chosen)?.line ?? 0} onClose={() => setFile(false)} />}
      </div>
    </>
  )
}
