import { useEffect, useMemo, useRef, useState } from 'react'
import { after, type Draft as Drafted, ends, findings, type Operation, outline, pasted, stepText } from '../../lib/drafted'
import type { Edge, Graph } from '../../lib/graph'
import { type Key, useKeys } from '../../lib/pane'
import { recent } from '../../lib/when'
import { useWho } from '../../lib/who'
import { Chooser } from '../../ui/Chooser'
import { toast } from '../../ui/toast'
import { AboutForm } from './AboutForm'
import { Canvas } from './Canvas'
import { Deploy } from './Deploy'
import type { useDraft } from './draft'
import { kinds } from './kinds'
import { StepForm } from './StepForm'
import { Yaml } from './Yaml'

/** Asks is what a person is asked to choose: a kind of step, a step to connect with, a connection to take away. */
type Asks = 'new' | 'connect' | 'disconnect' | 'deploy' | undefined

/** Draft edits a workflow on its canvas, in forms, and as text, together with whoever else does. */
export function Draft({ of, by, may, onBack }: { of: Drafted; by: ReturnType<typeof useDraft>; may: boolean; onBack: () => void }) {
  const [chosen, choose] = useState('')
  const [panel, setPanel] = useState<'step' | 'file' | 'about' | undefined>()
  const [asks, ask] = useState<Asks>()
  const graph = useMemo(() => outline(of.graph), [of.graph])
  const wrong = useMemo(() => findings(of.graph), [of.graph])
  const { edit, write, undo, redo } = by
  const node = of.graph.nodes.find((n) => n.path === chosen)
  const busy = edit.isPending || write.isPending || undo.isPending || redo.isPending // what is on its way can be undone, too
  const run = edit.mutateAsync
  const edits = (operations: Operation[], then?: (d: Drafted) => void) => void run(operations).then((d) => {
    then?.(d)
    for (const note of d.notes ?? []) toast(note)
  }, () => undefined)
  const made = (d: Drafted) => {
    choose(d.created?.[0] ?? '')
    setPanel('step')
  }
  const close = () => {
    setPanel(undefined)
    document.querySelector<HTMLElement>(`[data-pane] .react-flow__node[data-id="${CSS.escape(chosen)}"]`)?.focus({ preventScroll: true })
  }
  const remove = () => {
    if (!node) return
    const next = of.graph.edges.find((e) => e.from === chosen)?.to ?? of.graph.edges.find((e) => e.to === chosen)?.from ?? ''
    edits([{ op: 'delete_node', node: chosen }], () => { choose(next); setPanel(undefined); toast(`${node.title || node.id} is deleted. u takes it back.`) })
  }
  const cut = (e: Edge) => edits([{ op: 'disconnect_nodes', from: e.from, to: e.to, ...(e.outcome ? { outcome: e.outcome } : {}) }], () => toast(`${e.from} leads to ${e.to} no more. u takes it back.`))
  const keys: Key[] = [
    { key: 'y', does: panel === 'file' ? 'hide the file' : 'show the file', act: () => setPanel(panel === 'file' ? undefined : 'file') },
    { key: 'Escape', does: panel ? 'close what is beside the canvas' : chosen ? 'choose no step' : 'back to the workflows', act: () => (panel ? close() : chosen ? choose('') : onBack()) },
  ]
  const editing: Key[] = [
    { key: 'n', does: 'a new step after the chosen one', act: () => ask('new') },
    { key: 'c', does: 'connect the step with another', act: () => node && ask('connect') },
    { key: 'x', does: 'take a connection of the step away', act: () => node && ask('disconnect') },
    { key: 'Delete Backspace', does: 'delete the step', act: remove },
    { key: 'e', does: 'edit the step', act: () => node && setPanel('step') },
    { key: 'w', does: 'edit what the workflow takes, what begins it and what it may cost', act: () => setPanel(panel === 'about' ? undefined : 'about') },
    { key: 'o', does: 'lay all out anew', act: () => Object.keys(of.layout).length > 0 && edits(Object.keys(of.layout).map((path) => ({ op: 'move_node', node: path }))) },
    { key: 'u', does: 'undo my last edit', act: () => (of.undo || busy) && undo.mutate() },
    { key: 'r', does: 'redo it', act: () => (of.redo || busy) && redo.mutate() },
    { key: 'D', does: 'compare with the deployed version, and deploy', act: () => ask('deploy') },
  ]
  useKeys(may ? [...keys, ...editing] : keys)
  useClipboard(of, chosen, may, (op) => edits([op], made))
  const failed = undo.error ?? redo.error ?? (panel === 'step' || panel === 'about' ? null : edit.error)
  return (
    <>
      <Head of={of} by={by} may={may} about={panel === 'about'} onAbout={() => setPanel(panel === 'about' ? undefined : 'about')} wrong={Object.keys(wrong).length > 0} step={node !== undefined} file={panel === 'file'} onFile={() => setPanel(panel === 'file' ? undefined : 'file')} onAsk={ask} />
      {failed && <p className="danger m-0!" role="alert">{failed.message}</p>}
      {of.graph.findings.map((f) => <p key={f.text} className="danger m-0! truncate">line {f.line}: {f.text}</p>)}
      <div className={`grid min-h-0 flex-1 gap-2 ${panel ? 'grid-rows-2 @4xl:grid-cols-[minmax(0,1fr)_minmax(0,36rem)] @4xl:grid-rows-1' : ''}`}>
        <Canvas
          label="Steps of the draft" graph={graph} findings={wrong} placed={of.layout} chosen={chosen} onChoose={choose} onOpen={() => setPanel(panel === 'file' ? 'file' : 'step')}
          {...(may ? { edit: {
            onMove: (path, position) => run([{ op: 'move_node', node: path, position }]),
            onConnect: (from, to, outcome) => edits([{ op: 'connect_nodes', from, to, ...(outcome ? { outcome } : {}) }]),
            onEdge: (e) => { choose(e.from); ask('disconnect') },
          } } : {})}
        />
        {panel === 'file' && <Yaml of={of} line={node?.line ?? 0} may={may} busy={write.isPending} wrong={write.error?.message ?? ''} onWrite={(source, base) => write.mutateAsync({ source, base })} onClose={close} />}
        {panel === 'about' && <AboutForm of={of} may={may} wrong={edit.error?.message ?? ''} onEdit={edits} onClose={close} />}
        {panel === 'step' && node && <StepForm key={chosen} of={node} may={may} wrong={edit.error?.message ?? ''} onEdit={edits} onDelete={remove} onClose={close} onRename={(id) => edits([{ op: 'rename_node', node: chosen, id }], () => choose(chosen.replace(/[^.]+$/, id)))} />}
      </div>
      <Choices of={of} graph={graph} chosen={chosen} asks={asks} onEdit={edits} onMade={made} onCut={cut} onClose={() => ask(undefined)} />
      {asks === 'deploy' && <Deploy draft={of} onClose={() => ask(undefined)} />}
    </>
  )
}

/** Head says how the draft stands, and has the buttons of its keys. */
function Head(p: { of: Drafted; by: ReturnType<typeof useDraft>; may: boolean; wrong: boolean; step: boolean; about: boolean; onAbout: () => void; file: boolean; onFile: () => void; onAsk: (what: Asks) => void }) {
  const who = useWho()
  const { of } = p
  const { undo, redo } = p.by
  return (
    <p className="m-0! flex flex-wrap items-baseline gap-x-4 text-muted">
      <span role="status">{of.saved ? `as version ${of.version}` : `revision ${of.revision}, edited ${recent(of.editedAt)} by ${who(of.editedBy.agent_id)}`}</span>
      <span className={p.wrong || of.graph.findings.length > 0 ? 'danger' : 'text-up'}>{said(of)}</span>
      <span className="ml-auto flex flex-wrap gap-1">
        {p.may && (
          <>
            <button type="button" className="px-2 py-0" onClick={() => p.onAsk('new')}>New step <kbd>n</kbd></button>
            <button type="button" className="px-2 py-0" disabled={!p.step} onClick={() => p.onAsk('connect')}>Connect <kbd>c</kbd></button>
            <button type="button" className="px-2 py-0" disabled={!of.undo} onClick={() => undo.mutate()}>Undo <kbd>u</kbd></button>
            <button type="button" className="px-2 py-0" disabled={!of.redo} onClick={() => redo.mutate()}>Redo <kbd>r</kbd></button>
          </>
        )}
        {p.may && <button type="button" className="px-2 py-0" aria-pressed={p.about} onClick={p.onAbout}>Workflow <kbd>w</kbd></button>}
        <button type="button" className="px-2 py-0" aria-pressed={p.file} onClick={p.onFile}>File <kbd>y</kbd></button>
        {p.may && <button type="button" className="primary px-2 py-0" onClick={() => p.onAsk('deploy')}>Deploy <kbd>D</kbd></button>}
      </span>
    </p>
  )
}

/** Choices has one chosen of what may be made, connected or taken away, and does it. */
function Choices(p: { of: Drafted; graph: Graph; chosen: string; asks: Asks; onEdit: (operations: Operation[], then?: (d: Drafted) => void) => void; onMade: (d: Drafted) => void; onCut: (e: Edge) => void; onClose: () => void }) {
  const { of, graph, chosen } = p
  const kind = of.graph.nodes.find((n) => n.path === chosen)?.kind
  if (p.asks === 'new') {
    return (
      <Chooser title="New step" hint="What it does" onClose={p.onClose} of={offers(kind === 'loop' || kind === 'map' ? chosen : '')}
        onChoose={(v) => { p.onClose(); const [does, inside] = v.split(' '); p.onEdit([{ op: 'create_node', kind: does as NonNullable<Operation['kind']>, ...(inside ? { in: inside } : after(of.graph, chosen)) }], p.onMade) }} />
    )
  }
  if (p.asks === 'connect') {
    return (
      <Chooser title={`What follows ${chosen}`} hint="Its name" onClose={p.onClose} of={ends(of.graph, chosen).map((e) => ({ value: `${e.to.path} ${e.outcome}`, title: `${e.outcome ? `${e.outcome}: ` : ''}${e.to.title || e.to.id}`, hint: e.to.path }))}
        onChoose={(v) => { p.onClose(); const [to = '', outcome] = v.split(' '); p.onEdit([{ op: 'connect_nodes', from: chosen, to, ...(outcome ? { outcome } : {}) }]) }} />
    )
  }
  if (p.asks !== 'disconnect') return null
  return (
    <Chooser title={`Which connection of ${chosen} goes`} hint="A step" onClose={p.onClose} of={graph.edges.filter((e) => e.from === chosen || e.to === chosen).map((e) => ({ value: e.id, title: `${e.from}${e.outcome ? `.${e.outcome}` : ''} → ${e.to}` }))}
      onChoose={(v) => { p.onClose(); const e = graph.edges.find((x) => x.id === v); if (e) p.onCut(e) }} />
  )
}

/** offers are the kinds of a new step; within a loop or a map, too, when one is chosen. */
const offers = (group: string) => [
  ...Object.entries(kinds).map(([kind, k]) => ({ value: kind, title: kind, hint: k.is })),
  ...(group ? Object.entries(kinds).map(([kind, k]) => ({ value: `${kind} ${group}`, title: `${kind} in ${group}`, hint: k.is })) : []),
]

/** said says how much is wrong with a draft. */
function said(d: Drafted): string {
  const n = d.graph.findings.length + d.graph.nodes.reduce((sum, x) => sum + x.findings.length, 0)
  return n === 0 ? 'nothing is wrong' : n === 1 ? '1 finding' : `${n} findings`
}

/** useClipboard copies the chosen step as text, and makes steps of such a text, also of another workflow. */
function useClipboard(of: Drafted, chosen: string, may: boolean, paste: (op: Operation) => void) {
  const now = useRef({ of, chosen, may, paste })
  now.current = { of, chosen, may, paste }
  useEffect(() => {
    const elsewhere = () => (document.activeElement as HTMLElement | null)?.closest('input, textarea, select, [role="dialog"]') || String(getSelection()) !== ''
    const onCopy = (e: ClipboardEvent) => {
      const node = now.current.of.graph.nodes.find((n) => n.path === now.current.chosen)
      const text = node && !elsewhere() ? stepText(now.current.of.source, node.line) : ''
      if (text === '' || !e.clipboardData) return
      e.clipboardData.setData('text/plain', text)
      e.preventDefault()
      toast(`${node?.title || node?.id} is copied.`)
    }
    const onPaste = (e: ClipboardEvent) => {
      const op = now.current.may && !elsewhere() ? pasted(e.clipboardData?.getData('text/plain') ?? '', now.current.of.graph, now.current.chosen) : undefined
      if (!op) return
      e.preventDefault()
      now.current.paste(op)
    }
    document.addEventListener('copy', onCopy)
    document.addEventListener('paste', onPaste)
    return () => {
      document.removeEventListener('copy', onCopy)
      document.removeEventListener('paste', onPaste)
    }
  }, [])
}
