import { expect, test } from 'vitest'
import { columns, shown } from './columns'
import type { Ticket } from './useTickets'

const ticket = (body: object, owner = '') => ({ id: 'a', owner, body: { title: 'a', status: 'TODO', priority: 'LOW', ...body } }) as Ticket
const names = (...of: Parameters<typeof shown>) => shown(...of).map((c) => c.name)

test('shown leaves out columns in which no ticket has anything', () => {
  expect(names(columns, {}, [ticket({ externalRef: 'A-1' }), ticket({ externalRef: 'A-2' })])).toEqual(['Key', 'Title', 'Status', 'Priority'])
  expect(names(columns, {}, [ticket({ storyPoints: 0 }, 'Joe')])).toEqual(['Title', 'Status', 'Priority', 'Points', 'Owner'])
})

test('shown follows what a person chose, but the title stays', () => {
  expect(names(columns, { Due: true, Status: false, Title: false }, [ticket({})])).toEqual(['Title', 'Priority', 'Due'])
})

test('shown leaves all while there is no ticket', () => {
  expect(names(columns, {}, [])).toHaveLength(columns.length)
})
