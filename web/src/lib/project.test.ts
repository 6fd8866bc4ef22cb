import { beforeEach, expect, test } from 'vitest'
import { keepProject, nameAmong, projectOf } from './project'

const all = [{ id: 'old', body: { name: 'Old', status: 'ARCHIVED' } }, { id: 'first', body: { name: 'First', status: 'ACTIVE' } }, { id: 'second', body: { name: 'Second', status: 'ACTIVE' } }]

beforeEach(() => localStorage.clear())

test('the project is the named one, else the one that was worked in last, else the first active one', () => {
  expect([projectOf('old', all, 'second'), projectOf(undefined, all, 'second'), projectOf(undefined, all, ''), projectOf(undefined, all, 'deleted'), projectOf(undefined, all, 'old')]).toEqual(['old', 'second', 'first', 'first', 'first'])
  expect([projectOf(undefined, all.slice(0, 1), ''), projectOf(undefined, [], 'second')]).toEqual(['old', ''])
})

test('an active project is kept, one that is archived or not there is not', () => {
  const kept = (id: string) => {
    keepProject(id, all)
    return localStorage.getItem('chela-project')
  }
  expect(['second', 'old', 'nowhere', 'first'].map(kept)).toEqual(['second', 'second', 'second', 'first'])
})

test('a project is named where there are several', () => {
  expect([nameAmong(all, 'second'), nameAmong(all, undefined), nameAmong(all, 'deleted'), nameAmong(all.slice(1, 2), 'first')]).toEqual(['Second', '', '', ''])
})
