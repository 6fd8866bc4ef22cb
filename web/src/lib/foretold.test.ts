import { expect, test } from 'vitest'
import { foretold } from './foretold'

const made = { open: 4, finished: 31, from: '2026-03-02', to: '2026-03-10', perWeek: 5.3, createdPerWeek: 2 }
const dates = [{ percent: 50, day: '2026-03-18' }, { percent: 85, day: '2026-03-24' }, { percent: 95, day: '2026-03-29' }]

test('a forecast says how likely its day is, then when all are done, then what it is made of', () => {
  expect(foretold({ ...made, dates, until: '2026-03-12', percent: 3, byThen: [{ percent: 50, tickets: 2 }, { percent: 85, tickets: 1 }] })).toEqual([
    'By Mar 12: 3 % likely all 4 open tickets are done; 85 % likely 1 or more.', '85 % likely all 4 open tickets are done by Mar 24, 50 % by Mar 18.', 'From 31 tickets done between Mar 2 and Mar 10, 5.3 a week; 2 a week came.',
  ])
  expect(foretold({ ...made, open: 1, dates: dates.map((d) => ({ ...d, day: '2026-03-18' })) })[0]).toBe('85 % likely the open ticket is done by Mar 18.')
})

test('what is not forecast is no sentence', () => {
  expect(foretold({ ...made, dates: [] })).toEqual([])
})
