import { api, must } from '../api/client'
import { toast } from '../ui/toast'

/** runHeader names, in the answer to a change, the run by which all of the change is taken back. */
const runHeader = 'Chela-Run'

/** takeBackRun takes back what a run changed; what cannot be is an error that says why. */
export async function takeBackRun(run: string): Promise<void> {
  const { kept, changed } = await must(api.POST('/api/undo', { body: { run } }))
  const first = kept?.[0]
  if (!first) return
  const more = (kept?.length ?? 0) - 1
  throw new Error(`${(changed ?? []).length > 0 ? 'The rest is taken back. ' : ''}${first.title}: ${first.reason}${more > 0 ? ` ${more} more stay as they are.` : ''}`)
}

/** change waits for the answer to a change as must does, and tells what was done, with the way to take it back. text is empty for what is not worth telling. */
export async function change<T>(text: string | ((made: T) => string), answer: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const made = await must(answer)
  const run = (await answer).response.headers.get(runHeader)
  const said = typeof text === 'string' ? text : text(made)
  if (said !== '') toast(said, run ? { undo: () => takeBackRun(run) } : {})
  return made
}
