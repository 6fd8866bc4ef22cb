import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** serious is what axe finds on the page as it is; in the other looks it looks at the colors, which are all that they change. */
export async function serious(page) {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
  return page.evaluate(async () => {
    const found = []
    const look = document.documentElement.dataset.theme
    for (const theme of ['terminal', 'light', 'contrast']) {
      document.documentElement.dataset.theme = theme
      const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'], ...(theme === look ? {} : { runOnly: ['color-contrast'] }) })
      for (const v of violations.filter((x) => ['serious', 'critical'].includes(x.impact))) found.push(`${theme}: ${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`)
    }
    document.documentElement.dataset.theme = look
    return found
  })
}
