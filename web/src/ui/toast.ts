/** Said is a short message of what was done; undo takes it back. One that takes another back names it. */
export type Said = { id: number; text: string; at: number; bad: boolean; undo?: () => unknown; takes?: number }

/** lasting is how long Ctrl Z takes back what a toast said, in milliseconds. */
export const lasting = 60_000

let count = 0
let last: Said[] = [] // those that can be taken back, the newest last
const hearing = new Set<(s: Said) => void>()
const waiting: Said[] = [] // said before anything could show it

/** toast says what was done, and how it is taken back: by its button, or by Ctrl Z within a minute. */
export function toast(text: string, more: { undo?: () => unknown; bad?: boolean; takes?: number } = {}) {
  const said: Said = { id: ++count, text, at: Date.now(), bad: more.bad ?? false, ...(more.undo && { undo: more.undo }), ...(more.takes && { takes: more.takes }) }
  if (said.undo) last = [...last.filter((s) => s.at > said.at - lasting), said]
  if (hearing.size === 0) waiting.push(said)
  for (const hear of hearing) hear(said)
}

/** takeBack undoes what a toast said, the last one when none is named, and says whether there was something. What fails is said. */
export function takeBack(which?: Said, now = Date.now()): boolean {
  const said = which ?? last.findLast((s) => s.at > now - lasting)
  if (!said?.undo || !last.includes(said)) return false
  last = last.filter((s) => s !== said)
  void Promise.resolve().then(said.undo).then(() => toast(`Taken back: ${said.text}`, { takes: said.id }), (e: Error) => toast(`It could not be taken back. ${e.message}`, { bad: true, takes: said.id }))
  return true
}

/** hearToasts hears what is said from now on, and what nobody has heard yet. */
export function hearToasts(hear: (s: Said) => void) {
  hearing.add(hear)
  for (const said of waiting.splice(0)) hear(said)
  return () => void hearing.delete(hear)
}
