import type { Schemas } from '../../api/client'

type Figure = Schemas['ReportNumber']

/** behind is the place of the records behind a number; undefined when no list shows exactly these. */
export function behind(n: Figure): { to: string; search: { [word: string]: string } } | undefined {
  if (n.query) return { to: '/tickets', search: { filter: n.query, ...(n.asOf && { asOf: n.asOf }) } }
  return n.unit === 'USD' && (n.records ?? []).length > 0 ? { to: '/runs', search: {} } : undefined
}

/** written is a number with its unit, as the report writes it. */
export const written = (value: number, unit?: string) => (unit === 'USD' ? `${value.toFixed(2)} USD` : String(value))
