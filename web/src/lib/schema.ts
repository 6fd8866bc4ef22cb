/** Schema is what a form is made of: a part of a JSON Schema. */
export type Schema = {
  type?: string; enum?: unknown[]; const?: unknown; description?: string; properties?: { [name: string]: Schema }; items?: Schema; required?: string[]; minimum?: number; maximum?: number
  pattern?: string; $ref?: string; $defs?: { [name: string]: Schema }
}

/** Takes is what a field takes. */
export type Takes = 'choice' | 'yes' | 'number' | 'line' | 'text' | 'lines' | 'list' | 'fields' | 'value'

/** longs are the texts that take more than a line. */
const longs = ['task', 'prompt', 'system', 'detail', 'criteria', 'ask', 'run']

/** takes says what a field of a schema takes. */
export function takes(s: Schema, name: string): Takes {
  if (s.enum) return 'choice'
  if (s.const === true || s.type === 'boolean') return 'yes'
  if (s.type === 'integer' || s.type === 'number') return 'number'
  if (s.type === 'string') return longs.includes(name) ? 'text' : 'line'
  if (s.type === 'array' && s.items?.type === 'string') return 'lines'
  if (s.type === 'array' && s.items?.properties) return 'list'
  return s.properties ? 'fields' : 'value'
}

/** shownAs is a value as its field shows it. */
export function shownAs(v: unknown, as: Takes): string {
  if (v === undefined || v === null) return ''
  if (as === 'lines' && Array.isArray(v)) return v.map(String).join('\n')
  return typeof v === 'string' ? v : as === 'value' ? JSON.stringify(v, null, 2) : String(v)
}

/** read is the value that a field's text means; null takes the property away. What looks like JSON and is none is wrong. */
export function read(text: string, as: Takes, s: Schema, needed: boolean): { value: unknown } | { wrong: string } {
  const bare = text.trim()
  if (bare === '') return { value: needed && (as === 'line' || as === 'text') ? '' : needed && as === 'lines' ? [] : null }
  if (as === 'number') {
    const n = Number(bare)
    if (Number.isNaN(n) || (s.type === 'integer' && !Number.isInteger(n))) return { wrong: `${bare} is no ${s.type === 'integer' ? 'whole ' : ''}number.` }
    if (s.minimum !== undefined && n < s.minimum) return { wrong: `It is at least ${s.minimum}.` }
    if (s.maximum !== undefined && n > s.maximum) return { wrong: `It is at most ${s.maximum}.` }
    return { value: n }
  }
  if (as === 'lines') return { value: text.split('\n').map((l) => l.trim()).filter((l) => l !== '') }
  if (as === 'line' && s.pattern && !new RegExp(s.pattern, 'u').test(bare)) return { wrong: `${bare} does not fit. ${s.description ?? ''}`.trim() }
  if (as !== 'value') return { value: as === 'line' ? bare : text }
  if (!/^([[{"]|-?\d|true$|false$|null$)/.test(bare)) return { value: text }
  try {
    return { value: JSON.parse(bare) as unknown }
  } catch {
    return s.type === 'object' || /^[[{]/.test(bare) ? { wrong: 'This is no JSON yet.' } : { value: text }
  }
}

/** empty is what a new item of a list says first: what it needs, without words. */
export function empty(s: Schema): { [name: string]: unknown } {
  return Object.fromEntries((s.required ?? []).map((name) => [name, name === 'case' ? 'new_case' : '']))
}
