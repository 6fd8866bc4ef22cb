import { useQuery } from '@tanstack/react-query'
import { api, must } from '../../api/client'
import { moment } from '../../lib/when'
import { Whole } from '../../ui/Whole'
import { WhatItDid } from './WhatItDid'

/** Before shows what became of the document that was imported last, beside the step that imports the next one; nothing when there is none. */
export function Before({ project }: { project: string }) {
  const q = useQuery({ queryKey: ['intake', project, 'last'], queryFn: () => must(api.GET('/api/projects/{project}/intakes', { params: { path: { project }, query: { newest: true, limit: 1 } } })) })
  const last = q.data?.items?.[0]
  return (
    <Whole>
      {last?.body.runId && (
        <section aria-label="What became of the last document" className="min-w-0">
          <h3 className="mt-0!">What became of {last.body.title || 'the last document'} <span className="font-normal text-muted">{moment(last.createdAt)}</span></h3>
          <WhatItDid project={project} run={last.body.runId} intake={last.id} />
        </section>
      )}
    </Whole>
  )
}
