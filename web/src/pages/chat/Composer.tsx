import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { encode } from '../../lib/encode'
import type { Picture } from '../../lib/outbox'
import { useKeys } from '../../lib/pane'
import { mentioned } from '../../lib/talk'
import { useUnsaved } from '../../lib/unsaved'
import { Names } from './Names'
import { useNames } from './useNames'

const kinds = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const most = 8 // pictures with a message

/** kept is what was written and not sent, by conversation. */
const kept = new Map<string, string>()

/** Composer is where a message is written; with begun the cursor is in it from the start. Enter sends it, Shift Enter begins a line, @ names an agent that is to answer, / a command. */
export function Composer(p: { place: string; to: string; disabled?: boolean; begun?: boolean; fresh?: { text: string; pictures: Picture[] } | undefined; onSend: (text: string, agent: string, pictures: Picture[]) => void }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const caret = useRef<number>(undefined) // where the cursor belongs after a name was put in
  const [text, setText] = useState(kept.get(p.place) ?? '')
  useUnsaved(text.trim() !== '', true)
  const [pictures, setPictures] = useState<Picture[]>([])
  const [wrong, setWrong] = useState('')
  useKeys([{ key: 'i', does: 'write a message', act: () => field.current?.focus() }])
  useEffect(() => {
    if (p.begun) field.current?.focus()
  }, [p.begun])
  const write = (to: string) => {
    setText(to)
    if (to === '') kept.delete(p.place)
    else kept.set(p.place, to)
  }
  const names = useNames((name, part) => {
    const cursor = field.current?.selectionStart ?? text.length
    const from = cursor - part.length
    write(`${text.slice(0, from)}${name} ${text.slice(cursor)}`)
    caret.current = from + name.length + 1
    field.current?.focus()
  })
  const { fresh } = p
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is written anew only when something comes back
  useEffect(() => {
    if (!fresh) return
    write(fresh.text)
    setPictures(fresh.pictures)
    field.current?.focus()
  }, [fresh])
  useLayoutEffect(() => {
    if (caret.current === undefined) return
    field.current?.setSelectionRange(caret.current, caret.current)
    caret.current = undefined
  })
  const send = () => {
    if (p.disabled || (text.trim() === '' && pictures.length === 0)) return
    p.onSend(text, mentioned(text, names.names), pictures)
    write('')
    setPictures([])
    names.close()
  }
  const onKey = (e: KeyboardEvent) => {
    if (e.nativeEvent.isComposing || names.key(e)) return
    if (e.key === 'Enter' && !e.shiftKey && !e.ctrlKey && !e.metaKey && !e.altKey) {
      e.preventDefault()
      send()
    }
  }
  const add = async (files: File[]) => {
    const good = files.filter((f) => kinds.includes(f.type))
    setWrong(good.length < files.length ? 'A message takes pictures (PNG, JPEG, GIF, WebP). Hand other files in as an intake.' : '')
    const read = await Promise.all(good.map(async (f) => ({ ...(await encode(f)), type: f.type })))
    setPictures((had) => {
      if (had.length + read.length > most) setWrong(`A message takes up to ${most} pictures.`)
      return [...had, ...read].slice(0, most)
    })
  }
  const onPaste = (e: ClipboardEvent) => {
    if (e.clipboardData.files.length === 0) return
    e.preventDefault()
    void add([...e.clipboardData.files])
  }
  const onDrop = (e: DragEvent) => {
    e.preventDefault()
    void add([...e.dataTransfer.files])
  }
  const to = mentioned(text, names.names)
  return (
    <form
      aria-label="Say something"
      className="relative border border-line bg-panel"
      onSubmit={(e) => {
        e.preventDefault()
        send()
      }}
      onDragOver={(e) => e.preventDefault()}
      onDrop={onDrop}
    >
      {names.fitting.length > 0 && <Names label={names.label} of={names.fitting} at={names.at} onChosen={names.choose} />}
      <textarea
        ref={field} aria-label="Message" rows={1} value={text} disabled={p.disabled}
        placeholder={p.disabled ? 'This conversation is closed.' : `Message ${p.to}`}
        aria-controls="names" aria-expanded={names.fitting.length > 0} aria-activedescendant={names.active} role="combobox" aria-autocomplete="list"
        className="block max-h-60 min-h-9 resize-none! border-0! bg-transparent! [field-sizing:content]"
        onChange={(e) => {
          write(e.target.value)
          names.look(e.target.value, e.target.selectionStart)
        }}
        onKeyDown={onKey} onPaste={onPaste} onBlur={names.close}
      />
      {pictures.length > 0 && (
        <ul className="m-0! flex list-none! flex-wrap gap-2 px-2! pb-1">
          {pictures.map((x, i) => (
            <li key={x.name + i} className="relative">
              <img src={`data:${x.type};base64,${x.data}`} alt={x.name} className="size-14 border border-line object-cover" />
              <button type="button" aria-label={`Leave out ${x.name}`} className="absolute -top-1 -right-1 px-1 py-0 leading-none" onClick={() => setPictures(pictures.filter((_, j) => j !== i))}>×</button>
            </li>
          ))}
        </ul>
      )}
      <div className="flex items-center gap-3 px-2 pb-1 text-xs text-muted">
        <label className="cursor-pointer text-link focus-within:outline-2">
          + picture
          <input type="file" aria-label="Pictures" accept={kinds.join(',')} multiple disabled={p.disabled} className="sr-only" onChange={(e) => {
            void add([...(e.target.files ?? [])])
            e.target.value = ''
          }} />
        </label>
        <span className="min-w-0 flex-1 truncate">{wrong ? <span className="text-danger" role="alert">{wrong}</span> : to ? <>goes to <b className="text-agent">{to}</b></> : <span className="@max-xl:hidden"><kbd>Enter</kbd> sends · <kbd>Shift Enter</kbd> new line · <kbd>@</kbd> an agent · <kbd>/</kbd> a command</span>}</span>
        <button type="submit" className="px-3 py-0" disabled={p.disabled || (text.trim() === '' && pictures.length === 0)}>Send</button>
      </div>
    </form>
  )
}
