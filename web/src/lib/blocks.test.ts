import { expect, test } from 'vitest'
import { blocks } from './blocks'

const texts = (text: string) => blocks(text).map((b) => b.text)

test('a text is cut at its empty lines', () => {
  expect(texts('one\ntwo\n\n\nthree\r\n\r\nfour')).toEqual(['one\ntwo', 'three', 'four'])
  expect(texts('')).toEqual([])
})

test('code and lists stay whole', () => {
  expect(texts('```js\na\n\nb\n```\nafter')).toEqual(['```js\na\n\nb\n```\nafter'])
  expect(texts('````\n```\n\n````\n\nx')).toEqual(['````\n```\n\n````', 'x'])
  expect(texts('```\nnever closed\n\nstill code')).toEqual(['```\nnever closed\n\nstill code'])
  expect(texts('1. a\n\n2. b\n\n   more\n\nplain')).toEqual(['1. a\n\n2. b\n\n   more', 'plain'])
})

test('a table is taken apart', () => {
  const [before, table, after] = blocks('See:\n| Ticket | Days |\n|---|--:|\n| a \\| b | 3 |\nNext')
  expect(before?.text).toBe('See:')
  expect(table?.table).toEqual([['Ticket', 'Days'], ['a | b', '3']])
  expect(after?.text).toBe('Next')
  expect(blocks('a | b\nno rule').some((b) => b.table)).toBe(false)
  expect(blocks('```\na | b\n--- | ---\n```').some((b) => b.table)).toBe(false)
})

test('a long text is cut quickly', () => {
  const long = `${'| a | b |\n'.repeat(20_000)}${'-'.repeat(50_000)}x\n${'|-'.repeat(20_000)}x`
  const began = performance.now()
  blocks(long)
  expect(performance.now() - began).toBeLessThan(1_000)
})
