import { useState } from 'react'

/** choices are the moments since which Today tells what changed. */
export const choices = [
  { value: 'look', title: 'your last look' },
  { value: 'day', title: '24 hours ago' },
  { value: 'three', title: 'three days ago' },
  { value: 'week', title: 'a week ago' },
  { value: 'fortnight', title: 'two weeks ago' },
] as const

export type Since = (typeof choices)[number]['value']

const hour = 3_600_000
const hours: { [choice in Exclude<Since, 'look'>]: number } = { day: 24, three: 72, week: 168, fortnight: 336 }

/** pause is how long somebody has to look elsewhere until what they saw before counts as seen, in milliseconds. */
const pause = hour / 2

/** Look is when a person looked last, and when before that. */
export type Look = { at: number; before?: number }

/** looked is what a look at a moment makes of the last one. */
export function looked(last: Look | undefined, now: number): Look {
  if (!last) return { at: now }
  return now - last.at > pause ? { at: now, before: last.at } : { ...last, at: now }
}

/** sinceOf is the moment that a choice means, to the minute; empty is the daemon's own, a week ago, also while nobody looked before. */
export function sinceOf(choice: Since, look: Look, now: number): string {
  const at = choice === 'look' ? look.before : choice === 'week' ? undefined : now - hours[choice] * hour
  return at === undefined ? '' : `${new Date(at).toISOString().slice(0, 16)}:00Z`
}

const chosenKey = 'chela-since'
const lookKey = (project: string) => `chela-look ${project}`

/** kept reads what this browser keeps; what cannot be read is nothing. */
function kept(key: string): Look | undefined {
  try {
    const look = JSON.parse(localStorage.getItem(key) ?? '') as Look
    return Number.isFinite(look.at) ? look : undefined
  } catch {
    return undefined
  }
}

/** startOf is what is chosen and the moment it means, as a look begins, which is kept. */
export function startOf(project: string, now = Date.now()): { choice: Since; look: Look } {
  const look = looked(kept(lookKey(project)), now)
  localStorage.setItem(lookKey(project), JSON.stringify(look))
  const choice = choices.find((c) => c.value === localStorage.getItem(chosenKey))?.value ?? 'look'
  return { choice, look }
}

/** useSince is since when Today tells what changed, and how to choose; this browser keeps it. */
export function useSince(project: string): { choice: Since; since: string; choose: (to: Since) => void; next: () => void } {
  const [now] = useState(Date.now) // a moment that moves would be asked for again and again
  const [{ choice, look }, set] = useState(() => startOf(project, now))
  const choose = (to: Since) => {
    localStorage.setItem(chosenKey, to)
    set({ choice: to, look })
  }
  const at = choices.findIndex((c) => c.value === choice)
  return { choice, since: sinceOf(choice, look, now), choose, next: () => choose(choices[(at + 1) % choices.length]?.value ?? 'look') }
}
