import { useEffect, useState } from 'react'
import type { Tick } from '../../api/live'

const most = 400 // characters shown of what is being written

/** LiveWords shows what a model writes, or which tool works, before it is recorded. */
export function LiveWords(p: { run: string; recorded: number }) {
  const [now, setNow] = useState<{ agent: string; text: string; tool?: string }>()
  useEffect(() => {
    const onTick = (e: Event) => {
      const t = (e as CustomEvent<Tick>).detail
      if (t.run !== p.run) return
      const agent = t.agent?.replace('agent:', '') ?? ''
      if (t.kind === 'tool') setNow({ agent, text: '', tool: t.text ?? '' })
      else if (t.kind === 'delta') setNow((n) => ({ agent, text: ((n?.agent === agent && t.at ? n.text : '') + (t.text ?? '')).slice(-most) }))
    }
    addEventListener('chela-tick', onTick)
    return () => removeEventListener('chela-tick', onTick)
  }, [p.run])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was coming has come
  useEffect(() => setNow(undefined), [p.recorded])
  if (!now) return null
  return (
    <p className="m-0 border-l-2 border-live pl-2 wrap-anywhere" data-testid="live">
      <b>{now.agent}</b> <span className="text-muted">{now.tool ? `calls ${now.tool}…` : now.text}</span><span aria-hidden="true" className="motion-safe:animate-pulse">▍</span>
    </p>
  )
}
