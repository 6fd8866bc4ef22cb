import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client'
import { change } from '../../lib/change'
import { useMyName } from '../../lib/conversations'
import { type Comment, isAgent } from '../../lib/happened'
import { useMayEdit } from '../../lib/moment'
import { moment } from '../../lib/when'
import { useWho } from '../../lib/who'
import { Agent } from '../../ui/Agent'
import { Markdown } from '../../ui/Markdown'
import { Person } from '../../ui/Person'
import { Failed } from '../../ui/State'

/** Said is a comment; who wrote it may change it and take it away. */
export function Said({ of: c, onReply }: { of: Comment; onReply: (id: string, to: string) => void }) {
  const queries = useQueryClient()
  const who = useWho()
  const me = useMyName()
  const may = useMayEdit()
  const [editing, setEditing] = useState<string>()
  const path = { project: c.projectId, id: c.id }
  const onSettled = () => queries.invalidateQueries({ queryKey: ['comment'] })
  const save = useMutation({
    mutationFn: (text: string) => change('Changed your comment', api.PATCH('/api/projects/{project}/comments/{id}', { params: { path, header: { 'If-Match': c.version } }, body: { text } as never })),
    onSuccess: () => setEditing(undefined), onSettled,
  })
  const remove = useMutation({ mutationFn: () => change('Removed your comment', api.DELETE('/api/projects/{project}/comments/{id}', { params: { path } })), onSettled })
  const name = who(c.createdBy)
  const acts = 'plain text-sm text-muted!'
  return (
    <article aria-label={`Comment of ${name}`}>
      <div className="flex items-baseline gap-x-3">
        <b className="inline-flex">{isAgent(c.createdBy) ? <Agent name={c.createdBy} /> : <Person name={name} />}</b>
        {c.version > 1 && <span className="text-sm text-faint">edited</span>}
        <span className="ml-auto flex gap-3 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 group-aria-[current=true]:opacity-100">
          {may && <button type="button" className={acts} onClick={() => onReply(c.id, name)}>reply</button>}
          {may && c.createdBy === me && <><button type="button" className={acts} onClick={() => setEditing(c.body.text)}>edit</button><button type="button" className={acts} onClick={() => remove.mutate()}>delete</button></>}
        </span>
        <time dateTime={c.createdAt} className="shrink-0 text-sm text-faint">{moment(c.createdAt)}</time>
      </div>
      {editing === undefined
        ? <div className="max-w-[110ch] pl-[1.9rem]"><Markdown text={c.body.text} /></div>
        : (
          <form
            aria-label="Your comment" className="grid gap-1"
            onSubmit={(e) => {
              e.preventDefault()
              save.mutate(editing)
            }}
            onKeyDown={(e) => {
              if (e.key === 'Escape') setEditing(undefined)
              if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) save.mutate(editing)
            }}
          >
            <textarea aria-label="Text of the comment" className="[field-sizing:content] min-h-16" value={editing} onChange={(e) => setEditing(e.target.value)} />
            <span className="flex gap-2"><button type="submit" className="px-2 py-0" disabled={editing.trim() === ''}>Save</button><button type="button" className="px-2 py-0" onClick={() => setEditing(undefined)}>Cancel</button></span>
          </form>
        )}
      <Failed of={save.error ?? remove.error} />
    </article>
  )
}
