/** themes are the looks of the page. */
export const themes = ['terminal', 'light', 'contrast'] as const
export type Theme = (typeof themes)[number]

/** smallest, usual and largest size of the letters, in pixels. */
export const smallest = 10
export const usual = 13
export const largest = 24

const themeKey = 'chela-theme'
const sizeKey = 'chela-size'

const prefers = (what: string) => matchMedia(`(prefers-${what})`)

/** theme is the look that was chosen in this browser, else the one that the system prefers. */
export function theme(): Theme {
  const chosen = themes.find((t) => t === localStorage.getItem(themeKey))
  return chosen ?? (prefers('contrast: more').matches ? 'contrast' : prefers('color-scheme: light').matches ? 'light' : 'terminal')
}

/** size is the chosen size of the letters of this browser. */
export function size(): number {
  const n = Number(localStorage.getItem(sizeKey) ?? usual)
  return n >= smallest && n <= largest ? n : usual
}

/** wear gives the page its look. */
export function wear() {
  document.documentElement.dataset.theme = theme()
  document.documentElement.style.fontSize = `${size()}px`
}

/** setTheme changes to a look. */
export function setTheme(to: Theme) {
  localStorage.setItem(themeKey, to)
  wear()
}

/** nextTheme changes to the next look. */
export function nextTheme() {
  setTheme(themes[(themes.indexOf(theme()) + 1) % themes.length] ?? 'terminal')
}

/** enlarge gives the letters a size. */
export function enlarge(to: number) {
  localStorage.setItem(sizeKey, String(Math.min(largest, Math.max(smallest, to))))
  wear()
}

/** resize makes the letters larger by so many pixels; 0 gives them their usual size. */
export function resize(by: number) {
  enlarge(by === 0 ? usual : size() + by)
}
