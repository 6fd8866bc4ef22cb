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

/** must returns the data of an answer or throws its problem. */
export async function must<T>(answer: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await answer
  if (data !== undefined && response.ok) return data
  const detail = (error as { detail?: string } | undefined)?.detail
  throw new Problem(response.status, detail ?? `The daemon answered ${response.status}.`)
}

/** done waits for an answer without data, or throws its problem. */
export async function done(answer: Promise<{ error?: unknown; response: Response }>): Promise<void> {
  const { error, response } = await answer
  if (response.ok) return
  const detail = (error as { detail?: string } | undefined)?.detail
  throw new Problem(response.status, detail ?? `The daemon answered ${response.status}.`)
}
