import { type FormEvent, useState } from 'react'
import type { Schemas } from '../api/client'
import { takeFocus } from '../lib/focus'
import { useUnsaved } from '../lib/unsaved'

/** Written is what somebody wrote into the form. */
export type Written = { key: string; content: string; tags: string[]; expiresAt: string; everywhere: boolean }

/** MemoryForm writes a memory: a new one with its key and for whom, or what one says. */
export function MemoryForm(p: { of?: Schemas['DeskMemoryBody']; named?: boolean; everywhere?: boolean; busy: boolean; onWritten: (w: Written) => void; onLeave: () => void }) {
  const before = { key: p.of?.key ?? '', content: p.of?.content ?? '', tags: (p.of?.tags ?? []).join(', '), until: p.of?.expiresAt ?? '' }
  const [key, setKey] = useState(before.key)
  const [content, setContent] = useState(before.content)
  const [tags, setTags] = useState(before.tags)
  const [until, setUntil] = useState(before.until)
  const [everywhere, setEverywhere] = useState(p.everywhere ?? false)
  useUnsaved(key !== before.key || content !== before.content || tags !== before.tags || until !== before.until)
  const submit = (e: FormEvent) => {
    e.preventDefault()
    p.onWritten({ key: key.trim(), content: content.trim(), tags: tags.split(',').map((t) => t.trim()).filter(Boolean), expiresAt: until.trim(), everywhere })
  }
  return (
    <form aria-label={p.named ? 'New memory' : `Memory ${key}`} onSubmit={submit} className="grid gap-2" onKeyDown={(e) => e.key === 'Escape' && p.onLeave()}>
      {p.named && <input aria-label="Key" placeholder="Key: what it is about, or nothing" value={key} onChange={(e) => setKey(e.target.value)} ref={takeFocus} />}
      <textarea aria-label="Content" placeholder="What to remember" required rows={3} value={content} onChange={(e) => setContent(e.target.value)} {...(p.named ? {} : { ref: takeFocus })} />
      <div className="grid gap-2 @2xl:grid-cols-2">
        <input aria-label="Tags" placeholder="Tags, with commas between" value={tags} onChange={(e) => setTags(e.target.value)} />
        <input aria-label="Expires" placeholder="Ends on a day (2027-01-31), or never" value={until} onChange={(e) => setUntil(e.target.value)} />
      </div>
      <div className="row my-0!">
        {p.named && <label><input type="checkbox" checked={everywhere} disabled={p.everywhere} onChange={(e) => setEverywhere(e.target.checked)} /> for all projects</label>}
        <button type="submit" disabled={p.busy}>Save</button>
        <button type="button" onClick={p.onLeave}>Cancel</button>
      </div>
    </form>
  )
}
