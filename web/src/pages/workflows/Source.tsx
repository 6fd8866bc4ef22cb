import { useEffect, useRef } from 'react'
import { Icon } from '../../ui/Icon'

/** Source shows the file of a workflow with its lines; the line of the chosen step is in sight. */
export function Source(p: { text: string; line: number; onClose: () => void }) {
  const at = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another line comes into sight
  useEffect(() => void at.current?.scrollIntoView({ block: 'center' }), [p.line])
  return (
    <aside aria-label="The file" className="flex min-h-0 min-w-0 flex-col border border-line bg-panel">
      <p className="m-0! flex items-center justify-between border-b border-line px-2 text-muted">workflow.yaml <button type="button" className="plain" aria-label="Hide the file" onClick={p.onClose}><Icon of="close" /></button></p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
      <pre tabIndex={0} className="m-0! min-h-0 flex-1 overflow-auto py-1 text-text!">
        {p.text.split('\n').map((l, i) => (
          <code key={i} ref={i + 1 === p.line ? at : undefined} aria-current={i + 1 === p.line ? 'true' : undefined} className="block pr-2 pl-[5ch] -indent-[4ch] aria-[current=true]:bg-selected">
            <span className="inline-block w-[4ch] pr-[1ch] text-right indent-0 text-faint select-none">{i + 1}</span>{l || ' '}
          </code>
        ))}
      </pre>
    </aside>
  )
}
