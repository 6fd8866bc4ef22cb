/** took says how long something took, as short as one reads it. */
export function took(ms: number): string {
  if (ms <= 0) return '0 ms'
  if (ms < 1) return '<1 ms'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const s = ms / 1_000
  if (s < 60) return `${s.toFixed(s < 10 ? 2 : 1)} s`
  const two = (n: number) => String(Math.floor(n)).padStart(2, '0')
  if (s < 3_600) return `${Math.floor(s / 60)} m ${two(s % 60)} s`
  if (s < 86_400) return `${Math.floor(s / 3_600)} h ${two((s % 3_600) / 60)} m`
  return `${Math.floor(s / 86_400)} d ${two((s % 86_400) / 3_600)} h`
}

/** few writes a number in at most four characters: 950, 1.2k, 34k, 1.5M. */
export function few(n: number): string {
  for (const [unit, size] of [['M', 1e6], ['k', 1e3]] as const) {
    if (n >= size) return `${n / size < 10 ? (n / size).toFixed(1) : Math.round(n / size)}${unit}`
  }
  return String(n)
}

/** usd writes money; what is not nothing is not written as nothing. */
export function usd(n: number): string {
  if (n === 0) return '0'
  if (n < 0.0001) return '<0.0001'
  return n < 0.01 ? n.toFixed(4) : n.toFixed(n < 10 ? 3 : 2)
}
