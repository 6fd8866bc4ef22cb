import type { Schemas } from '../api/client'
import { isRecord, type Known } from './titles'

type Delta = Schemas['DeskDelta']

/** rank says how grave a severity is. */
const rank = (severity: string) => ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'].indexOf(severity)

/** ordered are the places of the deltas of a pack, the gravest first; what is decided stays where it was. */
export function ordered(deltas: Delta[]): number[] {
  return deltas.map((_, i) => i).sort((a, b) => rank(deltas[b]?.severity ?? '') - rank(deltas[a]?.severity ?? '') || a - b)
}

/**
 * takes are the sides whose value the record on the other side can take over: it is a record,
 * and it still says what the delta says it does. Both sides must be records: what a rule
 * computed, such as today's day, is no value for anybody.
 */
export function takes(d: Delta, known: Map<string, Known>): ('A' | 'B')[] {
  if (d.deltaType === 'ABSENCE') return [] // it is added to the days away, and takes no value's place
  if (!d.fieldName || !isRecord(d.sourceA) || !isRecord(d.sourceB)) return []
  const can = (target: string | undefined, says: string | undefined, value: string | undefined) => {
    const fields = known.get(target ?? '')?.fields
    return Boolean(value) && fields !== undefined && String(fields[d.fieldName ?? ''] ?? '') === (says ?? '')
  }
  const out: ('A' | 'B')[] = []
  if (can(d.sourceB, d.valueB, d.valueA)) out.push('A')
  if (can(d.sourceA, d.valueA, d.valueB)) out.push('B')
  return out
}

/** needs says what accepting a delta asks for, beside the sides that can be taken; undefined for nothing. */
export function needs(d: Delta): { type: 'date' | 'text'; word: string } | undefined {
  if (!isRecord(d.sourceA) || isRecord(d.sourceB)) return undefined
  if (d.deltaType === 'DATE_DRIFT' && d.fieldName) return { type: 'date', word: 'New date' }
  if (d.deltaType === 'ORPHANED_WORK') return { type: 'text', word: 'Objective, by its id' }
  if (d.deltaType === 'COVERAGE_GAP') return { type: 'text', word: 'Ticket, by its id' }
  return undefined
}
