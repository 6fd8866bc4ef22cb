import { afterEach, expect, test, vi } from 'vitest'
import { api } from '../api/client'
import { hearToasts, type Said } from '../ui/toast'
import { change, takeBackRun } from './change'

afterEach(() => { vi.restoreAllMocks() })

const answer = <T>(data: T, run?: string) => Promise.resolve({ data, response: new Response('{}', { headers: run ? { 'Chela-Run': run } : {} }) })
const heard = () => {
  const said: Said[] = []
  const stop = hearToasts((s) => said.push(s))
  return { said, stop }
}

test('change tells what was done, with the way to take it back when the answer names its run', async () => {
  const post = vi.spyOn(api, 'POST').mockResolvedValue({ data: { changed: [], kept: [] }, response: new Response() } as never)
  const { said, stop } = heard()
  expect(await change((made: { n: number }) => `Changed ${made.n} tickets`, answer({ n: 3 }, 'run_1'))).toEqual({ n: 3 })
  await change('Done', answer({}))
  expect(said.map((s) => [s.text, s.undo !== undefined])).toEqual([['Changed 3 tickets', true], ['Done', false]])
  await said[0]?.undo?.()
  expect(post.mock.calls[0]).toEqual(['/api/undo', { body: { run: 'run_1' } }])
  stop()
})

test('change throws what the daemon refuses, and tells nothing', async () => {
  const { said, stop } = heard()
  await expect(change('Done', Promise.resolve({ error: { detail: 'No.' }, response: new Response('', { status: 409 }) }))).rejects.toThrow('No.')
  expect(said).toEqual([])
  stop()
})

test('takeBackRun says what stays, and why', async () => {
  vi.spyOn(api, 'POST').mockResolvedValue({ data: { changed: [{}], kept: [{ id: 'a', kind: 'ticket', title: 'Load test', reason: 'It was changed since.' }, {}] }, response: new Response() } as never)
  await expect(takeBackRun('run_1')).rejects.toThrow('The rest is taken back. Load test: It was changed since. 1 more stay as they are.')
})
