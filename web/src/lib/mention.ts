/** Somebody is who may be mentioned: a name, and whether it is an agent. */
export type Somebody = { name: string; agent: boolean; about: string }

/** mentioning is the part of a name after @ right before the cursor, with at most one blank in it; undefined when there is none. */
export function mentioning(text: string, cursor: number): string | undefined {
  return /(?:^|[\s(])@([\p{L}\p{N}_.-]*(?: [\p{L}\p{N}_.-]*)?)$/u.exec(text.slice(0, cursor))?.[1]
}

/** suiting are those whose name, or a word of it, begins with what is typed: persons before agents. */
export function suiting(all: Somebody[], typed: string): Somebody[] {
  const low = typed.toLowerCase()
  const begins = (name: string) => name.startsWith(low) || name.split(/\s+/).some((w) => w.startsWith(low))
  return all.filter((s) => begins(s.name.toLowerCase())).toSorted((a, b) => Number(a.agent) - Number(b.agent)).slice(0, 8)
}

/** mentionedIn puts a name in the place of what is typed before the cursor, and says where the cursor is then. */
export function mentionedIn(text: string, cursor: number, name: string): { text: string; cursor: number } {
  const typed = mentioning(text, cursor) ?? ''
  const before = text.slice(0, cursor - typed.length) + name
  const rest = text.slice(cursor)
  return { text: `${before}${/^\s/.test(rest) ? '' : ' '}${rest}`, cursor: before.length + 1 }
}
