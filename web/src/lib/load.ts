/** about says how sure a load is, before its number: an estimate that was cut is more than it says. */
export function about(l: { estimate?: string | boolean; estimateCut?: boolean }, word: string): string {
  if (l.estimateCut) return 'over '
  return l.estimate ? word : ''
}

/** hoursless says that somebody has no hours here: of such a person no percentage is taken, and what they have is too much. */
export const hoursless = (load: string, percent: number): boolean => load === 'AWAY' || (load === 'OVERLOADED' && percent === 0)

/** fullness is by what people are sorted: the percentage of their time that is taken, and for who has work and no hours a little more than all of it. */
export const fullness = (load: string, percent: number): number => (load === 'OVERLOADED' && percent === 0 ? 100.5 : percent)
