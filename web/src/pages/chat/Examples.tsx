import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, must } from '../../api/client'

const most = 2 // messages of a workflow

/** Examples are the workflows that a message begins, with messages that ask for them; one that is pressed is written into the field. */
export function Examples({ onTake }: { onTake: (text: string) => void }) {
  const q = useQuery({ queryKey: ['workflow', 'list'], queryFn: () => must(api.GET('/api/workflows')) })
  const heard = (q.data ?? []).filter((w) => w.state === 'deployed' && w.triggers?.some((t) => t.message))
  if (heard.length === 0) return null
  return (
    <section aria-label="What a message begins" className="mt-6">
      <h4 className="mb-1! border-b border-line">What a message begins</h4>
      {heard.map((w) => (
        <div key={w.slug} className="grid gap-x-4 border-b border-line/60 px-2 py-1 @3xl:grid-cols-[22ch_minmax(0,1fr)]">
          <Link to="/workflows/$id" params={{ id: w.slug }}>{w.name}</Link>
          <div className="min-w-0">
            <span className="text-muted">{w.description}</span>
            {(w.examples ?? []).slice(0, most).map((e) => <button key={e} type="button" className="plain block text-left text-text!" title="Write it into the field" onClick={() => onTake(e)}>“{e}”</button>)}
          </div>
        </div>
      ))}
    </section>
  )
}
