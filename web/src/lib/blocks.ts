/** Block is a part of a Markdown text that is shown by itself, so that what was written before it need not be read again. */
export type Block = { text: string; table?: string[][] }

const fence = /^ {0,3}(`{3,}|~{3,})/
const item = /^\s*(?:[-*+]|\d+[.)])\s/
const rule = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/

/** blocks cuts a text at its empty lines, but not inside code and lists. */
export function blocks(text: string): Block[] {
  const out: string[][] = []
  let now: string[] = []
  let closing = ''
  const end = () => {
    if (now.some((l) => l.trim() !== '')) out.push(now)
    now = []
  }
  const lines = text.split(/\r\n|\r|\n/)
  lines.forEach((line, i) => {
    const marks = fence.exec(line)?.[1]
    if (closing) {
      now.push(line)
      if (marks?.startsWith(closing) && line.trim() === marks) closing = ''
      return
    }
    if (marks) {
      closing = marks
      now.push(line)
      return
    }
    if (line.trim() !== '') {
      now.push(line)
      return
    }
    const next = lines[i + 1] ?? ''
    const listed = item.test(now[0] ?? '') && (item.test(next) || /^\s+\S/.test(next))
    if (listed) now.push(line)
    else end()
  })
  end()
  return out.flatMap(tabled)
}

const cells = (line: string) => line.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|/).map((c) => c.trim().replaceAll('\\|', '|'))

/** tabled takes a table out of the lines of a block. */
function tabled(lines: string[]): Block[] {
  const at = lines.findIndex((l, i) => i > 0 && rule.test(l) && l.includes('-') && (lines[i - 1] ?? '').includes('|') && cells(l).length === cells(lines[i - 1] ?? '').length)
  if (at < 0 || fence.test(lines[0] ?? '')) return [{ text: lines.join('\n') }]
  let end = at + 1
  while (end < lines.length && (lines[end] ?? '').includes('|')) end++
  const before = lines.slice(0, at - 1).join('\n')
  const after = lines.slice(end)
  const rows = [lines[at - 1] ?? '', ...lines.slice(at + 1, end)]
  return [...(before.trim() ? [{ text: before }] : []), { text: rows.join('\n'), table: rows.map(cells) }, ...(after.some((l) => l.trim()) ? tabled(after) : [])]
}
