/** about says how sure a load is, before its number: an estimate that was cut is more than it says. */
export function about(l: { estimate?: string | boolean; estimateCut?: boolean }, word: string): string {
  if (l.estimateCut) return 'over '
  return l.estimate ? word : ''
}
