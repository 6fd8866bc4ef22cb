import { useSyncExternalStore } from 'react'
import { type Theme, theme } from './look'

/** Colour is a colour by its token; see style.css. */
export type Colour = 'bg' | 'panel' | 'line' | 'strong' | 'text' | 'muted' | 'accent' | 'up' | 'down' | 'warn' | 'danger' | 'live' | 'agent' | 'person' | 'link'

/** colour is what a token is in the look of now. */
export const colour = (token: Colour) => getComputedStyle(document.documentElement).getPropertyValue(`--color-${token}`).trim()

/** faded is a colour, #rgb or #rrggbb, that lets through most of what lies under it. */
export function faded(hex: string): string {
  const full = hex.length === 4 ? `#${[...hex.slice(1)].map((c) => c + c).join('')}` : hex
  return `${full}26`
}

const watch = (tell: () => void) => {
  const observer = new MutationObserver(tell)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'style'] })
  return () => observer.disconnect()
}

/** useLook is the look and the size of the letters, for what does not draw itself anew. */
export function useLook(): string {
  return useSyncExternalStore(watch, () => `${document.documentElement.dataset.theme ?? (theme() as Theme)} ${document.documentElement.style.fontSize}`)
}
