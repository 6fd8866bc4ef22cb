import { useEffect, useRef, useState } from 'react'
import type { Draft } from '../../lib/drafted'
import { Icon } from '../../ui/Icon'

/** calm is how long nothing is typed until the text is written, in milliseconds. */
const calm = 700

/** Yaml is the file of a draft beside its canvas. What is typed is written when typing pauses; what others write shows where nothing is typed. */
export function Yaml(p: { of: Draft; line: number; may: boolean; busy: boolean; wrong: string; onWrite: (source: string, base: number) => Promise<unknown>; onClose: () => void }) {
  const [typed, setTyped] = useState<{ text: string; base: number }>()
  const box = useRef<HTMLTextAreaElement>(null)
  const { source, revision } = p.of
  const now = useRef(p)
  now.current = p
  const was = useRef(typed)
  was.current = typed
  useEffect(() => {
    if (typed === undefined) return
    const later = setTimeout(() => {
      now.current.onWrite(typed.text, typed.base).then(() => was.current === typed && setTyped(undefined), () => undefined) // what is refused stays here
    }, calm)
    return () => clearTimeout(later)
  }, [typed])
  const text = typed?.text ?? source
  useEffect(() => {
    const el = box.current
    if (!el || p.line === 0 || document.activeElement === el) return
    const rem = Number.parseFloat(getComputedStyle(el).lineHeight) || 20
    el.scrollTop = Math.max(0, (p.line - 4) * rem)
  }, [p.line])
  const findings = [...p.of.graph.findings, ...p.of.graph.nodes.flatMap((n) => n.findings)].sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
  const goTo = (line: number) => {
    const el = box.current
    if (!el) return
    const at = text.split('\n').slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0)
    el.focus()
    el.setSelectionRange(at, at + (text.split('\n')[line - 1]?.length ?? 0))
    el.scrollTop = Math.max(0, (line - 4) * (Number.parseFloat(getComputedStyle(el).lineHeight) || 20))
  }
  return (
    <aside aria-label="The file" className="flex min-h-0 min-w-0 flex-col border border-line bg-panel">
      <p className="m-0! flex items-center gap-3 border-b border-line px-2 text-muted"><span>workflow.yaml</span><span role="status">{typed && p.wrong ? '' : typed ? 'writing…' : `revision ${revision}`}</span><button type="button" className="plain ml-auto" aria-label="Hide the file" onClick={p.onClose}><Icon of="close" /></button></p>
      {typed && p.wrong && <p className="danger m-0! px-2" role="alert">{p.wrong} <button type="button" className="px-2 py-0" onClick={() => setTyped(undefined)}>Drop what I typed</button></p>}
      <textarea
        ref={box} aria-label="The text of the workflow" spellCheck={false} readOnly={!p.may} value={text} style={{ lineHeight: 1.5 }} wrap="off"
        className="min-h-0 flex-1 resize-none! border-0! bg-bg! whitespace-pre"
        onChange={(e) => setTyped({ text: e.target.value, base: typed?.base ?? revision })}
      />
      {findings.length > 0 && (
        <ul className="items m-0! max-h-[30%] overflow-y-auto border-t border-line px-2" aria-label="Findings">
          {findings.map((f) => <li key={`${f.line} ${f.text}`}><button type="button" className="plain danger text-left" onClick={() => goTo(f.line ?? 1)}>line {f.line}: {f.text}</button></li>)}
        </ul>
      )}
    </aside>
  )
}
