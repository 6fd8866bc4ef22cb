/** figure writes a number with a comma before each three digits, as the daemon does. */
export const figure = (n: number): string => n.toLocaleString('en')

/** count says a number of things: "1 decision", "2 decisions". */
export function count(n: number | undefined, one: string): string {
  return `${figure(n ?? 0)} ${one}${n === 1 ? '' : 's'}`
}
