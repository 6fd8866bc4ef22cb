import { expect, test } from 'vitest'
import { begun, fieldOf, sortOf, sorts, titleOfTerm, withField } from './contract'

test('each sort of term begins empty, takes what is typed, and is known again', () => {
  for (const s of sorts) {
    const f = s.fields[0]
    if (!f) throw new Error(`${s.name} has no field`)
    const t = withField(begun(s), f, 'x')
    expect(sortOf(t).name).toBe(s.name)
    expect(fieldOf(t, f.at)).toBe('x')
    expect(titleOfTerm({ ...t, name: 'tests pass' })).toBe('tests pass')
  }
})

test('a number is one, and what is emptied is gone', () => {
  const least = sorts.find((s) => s.name === 'cites')?.fields[1]
  if (!least) throw new Error('there is no field')
  const t = withField({ cites: { text: 'x' } }, least, '2')
  expect(t).toEqual({ cites: { text: 'x', least: 2 } })
  expect(withField(t, least, '')).toEqual({ cites: { text: 'x' } })
})
