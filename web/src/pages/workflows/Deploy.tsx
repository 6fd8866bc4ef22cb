import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, must, type Schemas } from '../../api/client'
import type { Draft } from '../../lib/drafted'
import { Dialog } from '../../ui/Dialog'
import { Diff } from '../../ui/Diff'
import { State } from '../../ui/State'
import { toast } from '../../ui/toast'

/** takeFocus gives the button the focus when it appears; one function for all renders, or it would again at each. */
const takeFocus = (button: HTMLButtonElement | null) => button?.focus()

/** Deploy saves a draft as a version, shows what is different from the deployed one, and deploys it when a person says so. */
export function Deploy({ draft, onClose }: { draft: Draft; onClose: () => void }) {
  const queries = useQueryClient()
  const { slug } = draft
  const params = { path: { slug } }
  const q = useQuery({ // it is saved once, whoever looks
    queryKey: ['draft save', slug, draft.revision],
    queryFn: async () => {
      const version = draft.saved && draft.version ? draft.version : (await must(api.POST('/api/workflows/{slug}/draft/save', { params, body: {} }))).version
      const whole = await must(api.GET('/api/workflows/{slug}', { params: { ...params, query: { version } } }))
      const live = whole.versions.find((v: Schemas['LibraryVersion']) => v.state === 'deployed')
      if (!live || live.version === version) return { version, live: live?.version ?? 0, diff: '' }
      const { diff } = await must(api.GET('/api/workflows/{slug}/diff', { params: { ...params, query: { from: live.version, to: version } } }))
      return { version, live: live.version, diff }
    },
    staleTime: Number.POSITIVE_INFINITY, retry: false,
  })
  const deploy = useMutation({
    mutationFn: (version: number) => must(api.POST('/api/workflows/{slug}/deploy', { params, body: { version } })),
    onSuccess: (w) => {
      void queries.invalidateQueries({ queryKey: ['workflow'] })
      void queries.invalidateQueries({ queryKey: ['draft'] })
      toast(`Version ${w.version} of ${w.name} is deployed.`)
      onClose()
    },
  })
  const d = q.data
  return (
    <Dialog title="Deploy" wide onClose={onClose}>
      <State pending={q.isPending} error={q.error}>
        {d && (
          <>
            {d.live === 0 && <p>No version is deployed yet. Version {d.version} will be the first.</p>}
            {d.live === d.version && <p>Version {d.version} is deployed already; nothing is different.</p>}
            {d.live > 0 && d.live !== d.version && <p>What is different from version {d.live}, which is deployed. Instances in progress keep theirs.</p>}
            {d.diff !== '' && <Diff text={d.diff} of={`version ${d.version}`} />}
            {deploy.error && <p className="danger" role="alert">{deploy.error.message}</p>}
            {d.live !== d.version && <button type="button" ref={takeFocus} className="primary" disabled={deploy.isPending} onClick={() => deploy.mutate(d.version)}>Deploy version {d.version}</button>}
          </>
        )}
      </State>
    </Dialog>
  )
}
