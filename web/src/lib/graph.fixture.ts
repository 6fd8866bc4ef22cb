import type { Step } from './graph'

/** step is a step with what it needs, for tests. */
export const step = (path: string, needs: string[] = [], more: Partial<Step> = {}): Step => ({ path, kind: 'transform', needs, cases: [], contract: [], line: 1, ...(path.includes('.') ? { parent: path.slice(0, path.lastIndexOf('.')) } : {}), ...more })
