import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, must, type Schemas } from '../../api/client'
import { useMay } from '../../lib/me'
import { toast } from '../../ui/toast'
import { NewProvider } from '../NewProvider'

type Body = Schemas['ProviderBody']

/** takeFocus gives a button the focus when it appears. */
const takeFocus = (el: HTMLButtonElement | null) => el?.focus()

/** ModelStep configures a model, or says what works without one. */
export function ModelStep(p: { models: Schemas['ModelState'][]; onWithout: () => void }) {
  const queries = useQueryClient()
  const admin = useMay('admin')
  const [asked, setAsked] = useState(false)
  const set = useMutation({
    mutationFn: async (b: Body) => {
      await must(api.PUT('/api/models', { body: [b] }))
      const tested = await must(api.POST('/api/models/{name}/test', { params: { path: { name: b.name } } }))
      toast(tested.last?.error ? `${b.name} is added, but did not answer: ${tested.last.error} Mend it on the page Models.` : `${b.name} answered`, { bad: tested.last?.error !== undefined })
    },
    onSettled: () => Promise.all([queries.invalidateQueries({ queryKey: ['model'] }), queries.invalidateQueries({ queryKey: ['run', 'status'] })]),
  })
  return (
    <>
      <div className="grid gap-4 @2xl:grid-cols-2">
        <div>
          <h4 className="m-0 text-muted">Without a model</h4>
          <ul>
            <li>Minutes and exports become tickets, decisions, owners, dates and objectives, by rules.</li>
            <li>Capacity, coverage, drift and blindspots are computed.</li>
            <li>Questions are answered with tables that cite records.</li>
          </ul>
        </div>
        <div>
          <h4 className="m-0 text-muted">With a model</h4>
          <ul>
            <li>Free text is understood where rules are not enough.</li>
            <li>Agents talk, plan, and work with tools you approve.</li>
            <li>It costs what its provider asks; budgets bound it. The key stays in the vault.</li>
          </ul>
        </div>
      </div>
      {asked
        ? <NewProvider names={[]} busy={set.isPending} onAdd={(b) => set.mutateAsync(b)} />
        : (
          <div className="row">
            <button ref={takeFocus} type="button" onClick={p.onWithout}>Go on without a model</button>
            {admin && <button type="button" onClick={() => setAsked(true)}>Add a model</button>}
            {!admin && <span className="text-muted">A model is added by an admin.</span>}
          </div>
        )}
      {asked && <button type="button" onClick={p.onWithout}>Go on without a model</button>}
      {set.error && <p className="danger" role="alert">{set.error.message}</p>}
    </>
  )
}
