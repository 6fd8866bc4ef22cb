/** spoken are the values whose words are not their own letters. */
const spoken: { [value: string]: string } = {
  TODO: 'To do', WONT_FIX: 'Won’t fix', DISPATCHED: 'Done', READY: 'Planned', FAIL: 'Failed', FAILED_RETRYABLE: 'Failed, retries', SUCCESS: 'Done', QA: 'QA', PM: 'PM',
}

/** worded is a value of the API as people read it: IN_PROGRESS is In progress. What is no such value stays as it is. */
export function worded(value: string | undefined): string {
  if (!value) return ''
  if (spoken[value]) return spoken[value]
  if (!/^([A-Z][A-Z0-9_]*|[a-z][a-z0-9_]*)$/.test(value)) return value
  const words = value.toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** plain is a sentence of the daemon for a line: without the marks of code that Markdown would show. */
export const plain = (text: string): string => text.replaceAll('`', '')

/** isReading says whether a sentence of an import tells how words or days were read; another tells what went wrong. */
export const isReading = (problem: string): boolean => /\b(?:is|are|were) read\b|\bcounted from\b/.test(problem) && !/left out/.test(problem)

/** phaseNames are the phases of an intake in words. */
export const phaseNames: { [name: string]: string } = { memory: 'Keep the documents', extract: 'Read by rules', triage: 'Sort with a model', hydration: 'Read with a model', objectives: 'Match objectives', reconcile: 'Compare records', resources: 'Compute loads' }
