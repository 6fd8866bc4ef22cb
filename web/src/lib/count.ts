/** count says a number of things: "1 decision", "2 decisions". */
export function count(n: number | undefined, one: string): string {
  return `${n ?? 0} ${one}${n === 1 ? '' : 's'}`
}
