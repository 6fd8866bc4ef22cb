import { expect, test } from 'vitest'
import { mentionedIn, mentioning, suiting } from './mention'

test('mentioning finds a name after @ before the cursor, also one of two words', () => {
  for (const [text, want] of [['Ask @da', 'da'], ['@', ''], ['Ask @Dana Re', 'Dana Re'], ['(@pm', 'pm'], ['dana@example.com', undefined], ['@Dana Reyes please', undefined], ['no', undefined]] as const) {
    expect([text, mentioning(text, text.length)]).toEqual([text, want])
  }
  expect(mentioning('Ask @da now', 7)).toBe('da')
})

test('suiting takes persons before agents, by the beginning of any word', () => {
  const all = [{ name: 'release', agent: true, about: '' }, { name: 'Dana Reyes', agent: false, about: '' }, { name: 'Andre', agent: false, about: '' }]
  expect(suiting(all, 're').map((s) => s.name)).toEqual(['Dana Reyes', 'release'])
  expect(suiting(all, '').map((s) => s.name)).toEqual(['Dana Reyes', 'Andre', 'release'])
})

test('mentionedIn puts the name in and the cursor behind it', () => {
  expect(mentionedIn('Ask @da now', 7, 'Dana Reyes')).toEqual({ text: 'Ask @Dana Reyes now', cursor: 16 })
  expect(mentionedIn('@p', 2, 'pm')).toEqual({ text: '@pm ', cursor: 4 })
})
