import { useMutation, useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { api, must, type Schemas } from '../api/client'
import { parsed } from '../lib/encode'
import { moment } from '../lib/when'
import { State } from '../ui/State'
import { Table } from '../ui/Table'

type Hook = Schemas['HookState']

/** did says what a hook did last. */
function did(l: NonNullable<Hook['last']>): string {
  const what = l.failed ? `failed: ${l.failed}` : l.denied ? `denied: ${l.denied}` : 'altered what it was asked about'
  return `${moment(l.at)} at ${l.point}: ${what}`
}

/** Hooks shows the organization's own programs, what they did last, and where they can be called. */
export function Hooks() {
  const q = useQuery({ queryKey: ['hook'], queryFn: () => must(api.GET('/api/hooks')) })
  const hooks = q.data?.hooks ?? []
  return (
    <section>
      <h2>Hooks</h2>
      <State pending={q.isPending} error={q.error}>
        <p className="muted">{q.data?.file}</p>
        {q.data?.error && <p className="danger">It cannot be read, so whatever hooks could deny is denied: {q.data.error}</p>}
        <State pending={false} error={null} empty={hooks.length === 0} hint="No hooks. Name programs or services in that file.">
          <Table
            heads={['Hook', 'Points', 'Calls', 'Priority', 'Last']}
            rows={hooks.map((h) => ({
              key: h.name,
              cells: [
                <span key="name">{h.name}{h.problem && <p className="danger">{h.problem}</p>}</span>, (h.points ?? []).join(', '),
                h.url ? `${h.url}${h.secret ? `, signed with ${h.secret}` : ''}` : (h.command ?? []).join(' '), h.priority,
                h.last ? <span key="last" className={h.last.failed ? 'danger' : ''}>{did(h.last)}</span> : <span key="none" className="muted">changed nothing</span>,
              ],
            }))}
          />
          <Try hooks={hooks} />
        </State>
        <h3>Points</h3>
        <Table heads={['Point', 'Hooks are', 'When']} rows={(q.data?.points ?? []).map((p) => ({ key: p.point, cells: [p.point, p.blocking ? 'asked' : 'told', p.text] }))} />
      </State>
    </section>
  )
}

/** Try calls a hook by hand. */
function Try({ hooks }: { hooks: Hook[] }) {
  const [name, setName] = useState(hooks[0]?.name ?? '')
  const [point, setPoint] = useState('')
  const [data, setData] = useState('{}')
  const test = useMutation({
    mutationFn: () => {
      const body: Schemas['HookTest'] = { hook: name, data: parsed(data) }
      if (point) body.point = point
      return must(api.POST('/api/hooks/test', { body }))
    },
  })
  return (
    <>
      <h3>Call one</h3>
      <form onSubmit={(e: FormEvent) => { e.preventDefault(); test.mutate() }}>
        <div className="row">
          <label>Hook <select aria-label="Hook" value={name} onChange={(e) => { setName(e.target.value); setPoint('') }}>{hooks.map((h) => <option key={h.name} value={h.name}>{h.name}</option>)}</select></label>
          <label>Point <select aria-label="Point" value={point} onChange={(e) => setPoint(e.target.value)}>
            <option value="">its first</option>
            {(hooks.find((h) => h.name === name)?.points ?? []).map((p) => <option key={p} value={p}>{p}</option>)}
          </select></label>
          <button type="submit" disabled={test.isPending}>Call</button>
        </div>
        <textarea aria-label="Data" rows={4} value={data} onChange={(e) => setData(e.target.value)} />
      </form>
      {test.error && <p className="danger" role="alert">{test.error.message}</p>}
      {test.data && (
        <p role="status">{test.data.deny ? `It denies: ${test.data.deny}` : test.data.data === undefined ? 'It changes nothing.' : `It answers: ${JSON.stringify(test.data.data)}`}</p>
      )}
    </>
  )
}
