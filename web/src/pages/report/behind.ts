import type { Schemas } from '../../api/client'

type Figure = Schemas['ReportNumber']

/** mostNamed bounds the ids in a filter, which has at most 100 terms and values. */
const mostNamed = 90

/** behind is the place of the records behind a number; undefined when there are none. */
export function behind(n: Figure): { to: string; search: { [word: string]: string } } | undefined {
  const records = n.records ?? []
  if (n.query) return { to: '/tickets', search: { filter: n.query, ...(n.asOf && { asOf: n.asOf }) } }
  if (records.length === 0) return undefined
  if (n.unit === 'USD') return { to: '/runs', search: {} }
  return { to: '/tickets', search: { filter: `id:${records.slice(0, mostNamed).join(',')}` } }
}

/** written is a number with its unit, as the report writes it. */
export const written = (value: number, unit?: string) => (unit === 'USD' ? `${value.toFixed(2)} USD` : String(value))
