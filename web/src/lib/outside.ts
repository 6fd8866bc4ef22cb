/** outside is where an address of a text leads: nothing but the web and mail is ever opened. */
export function outside(address: string | undefined): string | undefined {
  try {
    const url = new URL(address ?? '')
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined
  } catch {
    return undefined
  }
}

/** Part is a part of a plain text: words, a record's id, or an address. */
export type Part = { text: string; record?: string; address?: string }

const addresses = /\bhttps?:\/\/[^\s<>"'`)\]}]+[^\s<>"'`)\]}.,;:!?]/g

/** addressesIn splits words at the addresses in them. */
export function addressesIn(text: string): Part[] {
  const out: Part[] = []
  let at = 0
  for (const m of text.matchAll(addresses)) {
    const address = outside(m[0])
    if (!address) continue
    if (m.index > at) out.push({ text: text.slice(at, m.index) })
    out.push({ text: m[0], address })
    at = m.index + m[0].length
  }
  if (at < text.length) out.push({ text: text.slice(at) })
  return out
}
