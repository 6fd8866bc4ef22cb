/** Cell is what stands in a table: a text, a number, or nothing. */
export type Cell = string | number | null

/** guarded is a text that no spreadsheet takes for a formula. */
const guarded = (text: string) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

/** cell is a value as CSV says it (RFC 4180). */
function cell(value: Cell): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = guarded(value)
  return /[",\r\n;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** csv is a table as CSV, its heads first. */
export function csv(heads: string[], rows: Cell[][]): string {
  return [heads, ...rows].map((r) => `${r.map(cell).join(',')}\r\n`).join('')
}

/** save hands a person a file. */
export function save(name: string, content: Blob) {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000) // the browser has begun to read it
}
