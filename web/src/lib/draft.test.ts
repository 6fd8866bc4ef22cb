import { expect, test } from 'vitest'
import type { Tick } from '../api/live'
import { type Draft, said, take } from './draft'

const delta = (text: string, at: number, more: Partial<Tick> = {}): Tick => ({ thread: 't', run: 'r', agent: 'agent:pm', kind: 'delta', text, at, ...more })
const all = (...ticks: Tick[]) => ticks.reduce<Draft | undefined>(take, undefined)

test('what comes in order is one text, whatever its characters', () => {
  expect(all(delta('Grüße ', 0), delta('🦀 an', 6), delta(' alle', 10))?.text).toBe('Grüße 🦀 an alle')
})

test('what came already is not repeated', () => {
  expect(all(delta('one two', 0), delta('two three', 4))?.text).toBe('one two three')
  expect(all(delta('one two', 0), delta('two', 4))?.text).toBe('one two')
})

test('what was lost leaves a mark, and the rest is known by its end', () => {
  const d = all(delta('one ', 0), delta('three', 8))
  expect(d?.text).toBe('one  … three')
  expect(d && said(d, [{ run: 'r', role: 'agent', message: 'one two three' }])).toBe(true)
  expect(all(delta('late', 5))?.text).toBe(' … late')
})

test('an answer begun anew, of another agent or of another run takes the place', () => {
  expect(all(delta('first', 0), delta('second', 0))?.text).toBe('second')
  expect(all(delta('first', 0), delta('other', 5, { run: 'r2' }))?.text).toBe(' … other')
  expect(all(delta('first', 0), delta('x', 0, { agent: 'agent:coder' }))).toMatchObject({ text: 'x', agent: 'coder' })
})

test('a tool is named until words come', () => {
  expect(all(delta('I look. ', 0), { thread: 't', run: 'r', agent: 'agent:pm', kind: 'tool', text: 'search_records' })).toMatchObject({ text: 'I look. ', tool: 'search_records' })
  expect(all({ thread: 't', run: 'r', kind: 'tool', text: 'a' }, delta('It is', 0))?.tool).toBe('')
})

test('a draft has become a message when that has its words', () => {
  const d = all(delta('Done. ', 0)) as Draft
  expect(said(d, [{ run: 'r', role: 'person', message: 'Done.' }, { run: 'r0', role: 'agent', message: 'Done.' }])).toBe(false)
  expect(said(d, [{ run: 'r', role: 'agent', message: 'Done.' }])).toBe(true)
})
