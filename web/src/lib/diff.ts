/** Line is a line of a unified diff: what it is, its text without the sign, and its numbers before and after. */
export type Line = { kind: 'same' | 'new' | 'gone' | 'head'; text: string; before?: number; after?: number }

/** lines reads a unified diff. What is not understood is a head, shown as it is. */
export function lines(diff: string): Line[] {
  let before = 0
  let after = 0
  let inside = false
  const all = diff.split('\n')
  if (all.at(-1) === '') all.pop()
  return all.map((l) => {
    const hunk = l.match(/^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/)
    if (hunk) {
      before = Number(hunk[1])
      after = Number(hunk[2])
      inside = true
      return { kind: 'head', text: l }
    }
    if (!inside && /^(---|\+\+\+|diff |index |\\)/.test(l)) return { kind: 'head', text: l }
    const text = l.slice(1)
    const counted = inside
    if (l.startsWith('+')) return { kind: 'new', text, ...(counted ? { after: after++ } : {}) }
    if (l.startsWith('-')) return { kind: 'gone', text, ...(counted ? { before: before++ } : {}) }
    if (l.startsWith(' ') || l === '') return { kind: 'same', text, ...(counted ? { before: before++, after: after++ } : {}) }
    return { kind: 'head', text: l }
  })
}
