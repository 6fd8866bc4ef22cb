import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { api, must } from '../../api/client'
import { useKeys } from '../../lib/pane'
import { sample } from './sample'

/** takeFocus gives a field the focus when it appears. */
const takeFocus = (el: HTMLTextAreaElement | null) => el?.focus()

/** FirstPaste takes the first minutes in; who has none at hand takes a sample. */
export function FirstPaste(p: { project: string; onTaken: (run: string) => void }) {
  const queries = useQueryClient()
  const send = useRef<HTMLButtonElement>(null)
  const [text, setText] = useState('')
  const take = useMutation({
    mutationFn: () => must(api.POST('/api/intake', { body: { projectId: p.project, content: text } as never })),
    onSuccess: (out) => {
      void queries.invalidateQueries({ queryKey: ['intake'] })
      p.onTaken(out.runId)
    },
  })
  const fill = () => {
    setText(sample(new Date()))
    send.current?.focus()
  }
  const give = () => text.trim() !== '' && !take.isPending && take.mutate()
  useKeys([{ key: 's', does: 'take the sample', act: fill }])
  return (
    <form onSubmit={(e) => { e.preventDefault(); give() }}>
      <p>Minutes, notes of a call, a mail: as it is. Files and exports of a tracker are imported on <Link to="/" search={{ project: p.project } as never}>Intake</Link>.</p>
      <textarea
        ref={takeFocus} aria-label="The first minutes" rows={10} value={text} onChange={(e) => setText(e.target.value)} placeholder="Paste minutes here, or take the sample"
        onKeyDown={(e) => e.key === 'Enter' && (e.ctrlKey || e.metaKey) && give()}
      />
      <div className="row mb-0!">
        <button ref={send} type="submit" aria-disabled={take.isPending || text.trim() === ''}>Import <kbd>Ctrl Enter</kbd></button>
        <button type="button" onClick={fill}>Use the sample <kbd>s</kbd></button>
      </div>
      {take.error && <p className="danger" role="alert">{take.error.message}</p>}
    </form>
  )
}
