import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, must } from '../../api/client'
import type { Draft } from '../../lib/drafted'
import { Dialog } from '../../ui/Dialog'
import { Diff } from '../../ui/Diff'
import { Failed, State } from '../../ui/State'
import { toast } from '../../ui/toast'

/** takeFocus gives the button the focus when it appears; one function for all renders, or it would again at each. */
const takeFocus = (button: HTMLButtonElement | null) => button?.focus()

/** Deploy shows what is different in a draft from the deployed version; it saves the draft as a version and deploys that when a person says so. Closing it leaves nothing behind. */
export function Deploy({ draft, onClose }: { draft: Draft; onClose: () => void }) {
  const queries = useQueryClient()
  const { slug } = draft
  const params = { path: { slug } }
  const q = useQuery({ queryKey: ['draft', 'diff', slug, draft.revision], queryFn: () => must(api.GET('/api/workflows/{slug}/draft/diff', { params })), retry: false })
  const deploy = useMutation({
    mutationFn: async () => {
      const version = draft.saved && draft.version ? draft.version : (await must(api.POST('/api/workflows/{slug}/draft/save', { params, body: {} }))).version
      return must(api.POST('/api/workflows/{slug}/deploy', { params, body: { version } }))
    },
    onSuccess: (w) => {
      void queries.invalidateQueries({ queryKey: ['workflow'] })
      void queries.invalidateQueries({ queryKey: ['draft'] })
      toast(`Version ${w.version} of ${w.name} is deployed.`)
      onClose()
    },
  })
  const d = q.data
  const same = d?.deployed !== undefined && d.diff === '' && draft.saved && draft.version === d.deployed
  return (
    <Dialog title="Deploy" wide onClose={onClose}>
      <State pending={q.isPending} error={q.error}>
        {d && (
          <>
            {d.deployed === undefined && <p>No version is deployed yet.</p>}
            {same && <p>Version {d.deployed} is deployed already; nothing is different.</p>}
            {d.deployed !== undefined && !same && <p>What is different from version {d.deployed}, which is deployed. Instances in progress keep theirs.</p>}
            {d.diff !== '' && <Diff text={d.diff} of="the draft" />}
            <Failed of={deploy.error} />
            {!same && <button type="button" ref={takeFocus} className="primary" disabled={deploy.isPending} onClick={() => deploy.mutate()}>{draft.saved && draft.version ? `Deploy version ${draft.version}` : 'Save as a version and deploy'}</button>}
          </>
        )}
      </State>
    </Dialog>
  )
}
