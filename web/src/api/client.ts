import createClient from 'openapi-fetch'
import { ahead } from './ahead'
import type { components, paths } from './schema.gen'

export type Schemas = components['schemas']

/** Problem is what the daemon says when it refuses (RFC 9457). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    detail: string,
  ) {
    super(detail)
  }
}

export const api = createClient<paths>({ baseUrl: location.origin })
api.use({ onRequest: ({ request }) => ahead(request) })

/** refused is the sentence of a refusal, with what is wrong in which line of a file. */
function refused(error: unknown, status: number): Problem {
  const { detail, errors } = (error ?? {}) as { detail?: string; errors?: { message: string; location?: string }[] | null }
  const lines = (errors ?? []).filter((e) => /^line \d+$/.test(e.location ?? '')).map((e) => `${e.location}: ${e.message}`)
  return new Problem(status, [detail ?? `The daemon answered ${status}.`, ...lines].join(' '))
}

/** must returns the data of an answer or throws its problem. */
export async function must<T>(answer: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await answer
  if (data !== undefined && response.ok) return data
  throw refused(error, response.status)
}

/** done waits for an answer without data, or throws its problem. */
export async function done(answer: Promise<{ error?: unknown; response: Response }>): Promise<void> {
  const { error, response } = await answer
  if (response.ok) return
  throw refused(error, response.status)
}
